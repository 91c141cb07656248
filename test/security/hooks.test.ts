import { chmodSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sandboxSupport } from '../../src/lib/sandbox/sandbox.ts'
import { putFile } from '../kit/files.ts'
import { troupe, troupeEnds } from '../kit/program.ts'
import { securityLog } from '../kit/records.ts'
import { createWorld, type World } from '../kit/world.ts'

const works = sandboxSupport(process.env).program !== undefined

const mark = (name: string) => ({ name, command: `echo ${name} >> MARK` })
const write = { calls: [{ name: 'write_file', input: { path: 'a.txt', content: 'x' } }] }
const marks = (world: World): string =>
  existsSync(join(world.project, 'MARK')) ? readFileSync(join(world.project, 'MARK'), 'utf8') : ''
const listed = async (world: World, agent = 'ann') =>
  world.ok<{ items: { name: string; from: string }[]; problems: { field: string; message: string }[] }>(
    'GET',
    `/api/hooks?agent=${agent}`,
  )

test('hooks of a project run only while it is trusted, exactly as it was; a changed program asks again', async () => {
  const world = await createWorld({
    files: {
      '.troupe/settings.json': JSON.stringify({
        hooks: { beforeTool: [mark('project')], sessionStart: [mark('start')] },
      }),
      '.troupe/settings.local.json': JSON.stringify({ hooks: { afterTool: [mark('local')] } }),
      '.troupe/agents/ann/agent.json': JSON.stringify({
        hooks: { beforeTool: [{ name: 'own', command: '"$TROUPE_HOOKS/own.sh"' }] },
      }),
      '.troupe/agents/ann/hooks/own.sh': '#!/bin/bash\necho own >> MARK\n',
    },
  })
  chmodSync(join(world.project, '.troupe/agents/ann/hooks/own.sh'), 0o755)
  const before = await listed(world)
  expect(before.items).toEqual([])
  expect(before.problems.map(({ field }) => field).toSorted()).toEqual([
    'hooks',
    'hooks.afterTool',
    'hooks.beforeTool',
    'hooks.sessionStart',
  ])
  const session = await world.session({ agent: 'ann' })
  const say = async () => {
    world.vendor.queue({}, write, { text: 'Done.' })
    await world.say(session.id, 'Write', { wait: 60 })
  }
  await say()
  expect(marks(world)).toBe('')

  const { hash } = await world.ok<{ hash: string }>('GET', '/api/trust')
  await world.ok('POST', '/api/trust', { trusted: true, hash })
  await say()
  expect(marks(world).split('\n').filter(Boolean)).toEqual(['start', 'own', 'project', 'local'])
  expect(securityLog(world)).toMatch(/"message":"hook","route":"session \w+ ann","reason":"beforeTool own \(/)
  putFile(join(world.project, '.troupe/agents/ann/hooks/own.sh'), '#!/bin/bash\necho other >> MARK\n')
  await say()
  expect(marks(world)).not.toContain('other')
  const { changed } = await world.ok<{ changed: { what: string }[] }>('GET', '/api/trust')
  expect(changed.map(({ what }) => what)).toEqual(['program of hooks "own.sh" changed'])
})

test.runIf(works)(
  'a hook is shut in: the data folder is not there but for its own programs, and no key is',
  async () => {
    const world = await createWorld({
      env: { ANTHROPIC_API_KEY: 'canary-key-000111222333' },
      files: {
        '../home/hooks/look.sh': [
          'echo "{\\"text\\":\\"$(ls -A "$HOMEFOLDER" | tr "\\n" " ")|$(env | grep -c canary)|$(echo x > "$TROUPE_HOOKS/y" && echo wrote)|$TROUPE_SESSION_ID\\"}"',
        ].join('\n'),
      },
      settings: {
        hooks: {
          afterTool: [{ name: 'look', command: 'bash "$TROUPE_HOOKS/look.sh" 2>/dev/null', env: ['HOMEFOLDER'] }],
        },
      },
    })
    const session = await world.session()
    world.vendor.queue({}, write, { text: 'Done.' })
    Object.assign(world.env, { HOMEFOLDER: world.home })
    await world.restart()
    await world.say(session.id, 'Write')
    expect((await world.results(session.id))[0]).toContain(`[hook "look"] |0||${session.id}`)
    // What it writes under a protected name is put aside, and the person is asked.
    putFile(join(world.home, 'settings.json'), {
      ...JSON.parse(readFileSync(join(world.home, 'settings.json'), 'utf8')),
      hooks: { turnEnd: [{ name: 'plants', command: 'echo A=1 > .env' }] },
    })
    await world.say(session.id, 'Again')
    const [item] = await world.eventually(async () => {
      const items = await world.inbox()
      return items.length > 0 && items
    })
    expect(item).toMatchObject({ kind: 'approval', title: expect.stringContaining('.env changed') })
    expect(existsSync(join(world.project, '.env'))).toBe(false)
  },
)

test("an untrusted project that brings an agent under the name of the person's own keeps the hooks of that one", async () => {
  const world = await createWorld({
    files: {
      '../home/agents/ann/agent.json': JSON.stringify({
        hooks: { beforeTool: [{ name: 'guard', command: 'exit 2' }] },
      }),
      '.troupe/agents/ann/agent.json': JSON.stringify({ hooks: { beforeTool: [mark('theirs')] }, modes: { chat: {} } }),
    },
  })
  expect((await listed(world)).items).toMatchObject([{ name: 'guard' }])
  const session = await world.session({ agent: 'ann' })
  world.vendor.queue({}, write, { text: 'Done.' })
  await world.say(session.id, 'Write')
  expect(await world.results(session.id)).toEqual([expect.stringContaining('Denied by the hook "guard"')])
  expect(marks(world)).toBe('')
})

test('a person lists hooks and tries them; the token of a session may do neither', async () => {
  const world = await createWorld({
    settings: {
      hooks: {
        beforeTool: [
          {
            name: 'guard',
            match: ['bash'],
            command: `jq -e '.tool.input.command != "rm"' >/dev/null || { echo No >&2; exit 2; }`,
          },
          { name: 'broken', match: ['write_file'], command: 'exit 9' },
        ],
      },
    },
  })
  const tried = (body: object) => world.ok<{ items: unknown[] }>('POST', '/api/hooks/test', body)
  const bash = { event: 'beforeTool', tool: 'bash' }
  expect((await tried({ ...bash, input: { command: 'rm' } })).items).toMatchObject([
    { hook: 'guard', verdict: 'denied', said: 'No' },
  ])
  expect((await tried({ ...bash, input: { command: 'ls' } })).items).toMatchObject([
    { hook: 'guard', verdict: 'passed' },
  ])
  expect((await tried({ ...bash, tool: 'write_file' })).items).toMatchObject([
    { verdict: 'failed', said: 'it ended with exit code 9' },
  ])
  expect(await troupe(world, 'hooks')).toMatch(/beforeTool +guard +bash +30 s .*settings\.json/)
  const words = ['hooks', 'test', 'beforeTool', '--tool', 'bash', '--input', '{"command":"rm"}']
  expect(await troupeEnds(world, ...words)).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^denied guard .*\n {2}No/),
  })
  expect(await troupeEnds(world, 'hooks', 'test', 'beforeTool', '--tool', 'write_file')).toMatchObject({ code: 1 })
  expect(await troupeEnds(world, 'hooks', 'test', 'never')).toMatchObject({ code: 2 })
  const session = await world.session()
  const headers = { authorization: `Bearer ${world.server.core.tokenOf(session.id)}` }
  expect((await world.request('GET', '/api/hooks', undefined, headers)).status).toBe(403)
  expect((await world.request('POST', '/api/hooks/test', bash, headers)).status).toBe(403)
})

test('a hook before tools that cannot be used refuses the calls that it guards, until somebody repairs it', async () => {
  const world = await createWorld({
    settings: { hooks: { beforeTool: [{ name: 'guard', match: ['write_*'], comand: './guard.sh' }] } },
  })
  const session = await world.session()
  const say = async () => {
    world.vendor.queue({}, { calls: [...write.calls, { name: 'list_dir', input: {} }] }, { text: 'Done.' })
    await world.say(session.id, 'Write')
    return (await world.results(session.id)).slice(-2).map(String)
  }
  const [refused, listing] = await say()
  expect(refused).toMatch(/^Not run: .*hooks\.beforeTool\.0\.command: .*can repair or remove it, in .*settings\.json/s)
  expect(listing).not.toContain('Not run')
  expect(existsSync(join(world.project, 'a.txt'))).toBe(false)
  expect(await world.inbox()).toMatchObject([{ kind: 'notice', body: expect.stringContaining('are refused until') }])
  const { items, problems } = await listed(world, 'assistant')
  expect(items).toEqual([])
  expect(problems.map(({ message }) => message).join()).toContain('has a hook before write_* that cannot be used')

  await world.ok('PATCH', '/api/settings', { changes: { 'hooks.beforeTool': [{ name: 'guard', command: 'true' }] } })
  expect((await say())[0]).not.toContain('Not run')
  expect(existsSync(join(world.project, 'a.txt'))).toBe(true)
})
