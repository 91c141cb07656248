import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sandboxSupport } from '../../src/lib/sandbox/sandbox.ts'
import { act, cast } from '../kit/cast.ts'
import { storesInTurn } from '../kit/database.ts'
import { makeFolder, putFile } from '../kit/files.ts'
import { eventually, processesWith } from '../kit/processes.ts'
import { parts, spawn } from '../kit/script.ts'
import { createWorld } from '../kit/world.ts'

const bash = (command: string, more = {}) => ({ name: 'bash', input: { command, ...more } })

test('a session whose folder was swapped for a link touches nothing, says why, and goes on once it is back', async () => {
  const world = await createWorld({ settings: { permissions: { allow: ['bash'] } } })
  const sub = join(world.project, 'sub')
  mkdirSync(sub)
  const session = await world.session({ workspace: 'sub' })
  renameSync(sub, `${sub}2`)
  symlinkSync('..', sub)
  const write = { name: 'write_file', input: { path: 'planted', content: 'x' } }
  const calls = [bash('touch planted'), bash('touch planted', { background: true }), write]
  world.vendor.reply({ calls }, { text: 'It does not work.' })
  await world.say(session.id, 'Plant it')
  const [asked] = await world.inbox()
  expect(asked?.body).toContain(`${join(world.project, '..', 'planted')} is outside the workspace`)
  await world.ok('POST', `/api/inbox/${asked!.id}/answer`, { decision: 'deny' })
  await world.reaches(session.id, 'idle')
  const sentence = expect.stringMatching(/leads to .* through a link.*putting the folder back/)
  expect(await world.results(session.id)).toEqual([sentence, sentence, expect.stringContaining('Denied')])
  for (const folder of [join(world.project, '..'), world.project, `${sub}2`])
    expect(existsSync(join(folder, 'planted'))).toBe(false)

  rmSync(sub)
  renameSync(`${sub}2`, sub)
  world.vendor.reply({ calls: [bash('touch back')] }, { text: 'Done.' })
  await world.say(session.id, 'Again')
  expect(existsSync(join(sub, 'back'))).toBe(true)
})

test.runIf(sandboxSupport(process.env).program !== undefined)(
  'where protected names lie deeper than can be looked, each result says so, and the person is told once',
  async () => {
    const name = 'd'.repeat(250)
    const dig = `for at in {1..17}; do mkdir ${name} && cd -P ${name} || exit 1; done; touch .env`
    const world = await createWorld({ settings: { permissions: { allow: ['bash'] } }, files: { 'dig.sh': dig } })
    world.vendor.reply({ calls: [bash('bash dig.sh')] }, { calls: [bash('echo again')] }, { text: 'Done.' })
    const session = await world.session()
    await world.say(session.id, 'Dig')
    const unseen = expect.stringContaining('protected names deep in it were not looked for')
    expect(await world.results(session.id)).toEqual([unseen, unseen])
    expect((await world.inbox()).map(({ kind, body }) => [kind, body])).toEqual([['notice', unseen]])
    // Node removes by path, and this one is too long for it.
    spawnSync('rm', ['-r', join(world.project, name)])
  },
)

test.runIf(sandboxSupport(process.env).program !== undefined)(
  'a path that any rule denies is not there for commands, and one that may not be written is read-only',
  async () => {
    const files = {
      'look.sh':
        'cat secret/key.txt a/own.pem; grep -r can[a]ry .; cp -r . /tmp/all; grep -r can[a]ry /tmp/all; echo new >> a/frozen.txt; echo new > a/plain.txt; cat a/*.txt',
      'secret/key.txt': 'canary',
      'a/own.pem': 'canary',
      'a/frozen.txt': 'old',
      ...cast({ ann: { permissions: { deny: ['read_file(**/own.pem)'] } } }),
    }
    const rules = { allow: ['bash'], deny: ['read_file(secret/**)', 'write_file(a/frozen.txt)'] }
    const world = await createWorld({ settings: { permissions: rules }, files })
    world.vendor.queue({ model: 'ann' }, { calls: [bash('bash look.sh')] }, { text: 'Done.' })
    const session = await world.session({ agent: 'ann' })
    const { mailId } = await world.say(session.id, 'Look')
    // Nobody can tell what a script reads, and nobody is asked: the sandbox keeps it away.
    expect(await world.inbox()).toEqual([])
    await world.settled(mailId)
    const [result] = await world.results(session.id)
    expect(result).not.toContain('canary')
    expect(result).toContain('old')
    expect(readFileSync(join(world.project, 'a/frozen.txt'), 'utf8')).toBe('old')
    expect(readFileSync(join(world.project, 'a/plain.txt'), 'utf8')).toBe('new\n')
  },
)

test.runIf(sandboxSupport(process.env).program !== undefined)(
  'a key that the person approved to be read is really read, and nothing beside it',
  async () => {
    const world = await createWorld()
    for (const name of ['x.pub', 'id']) putFile(join(world.home, '..', '.ssh', name), `canary ${name}`)
    putFile(join(world.project, 'look.sh'), 'cat ~/.ssh/id; ls ~/.ssh')
    const session = await world.session()
    world.vendor.reply({ calls: [bash('cat ~/.ssh/x.pub; bash look.sh')] }, { text: 'Read.' })
    const { mailId } = await world.say(session.id, 'Which key is it?')
    const [item] = await world.inbox()
    expect(item?.body).toContain('.ssh/x.pub')
    await world.ok('POST', `/api/inbox/${item?.id}/answer`, { decision: 'once' })
    await world.settled(mailId)
    const said = String(await world.results(session.id))
    expect(said).toMatch(/canary x\.pub[\s\S]*\nx\.pub$/)
    expect(said).not.toContain('canary id')
  },
)

test.each(['close', 'delete', 'end of its work'])('a background command ends with its session: %s', async (how) => {
  const world = await createWorld({ settings: { permissions: { allow: ['bash'] } } })
  const seconds = `9${process.pid}.5`
  const start = bash(`setsid sleep ${seconds} & sleep ${seconds}`, { background: true })
  const running = () => processesWith(`sleep\0${seconds}`).length
  const gate = Promise.withResolvers<void>()
  parts(world, {
    Start: [{ calls: [spawn('coder', 'Dig', { wait: true })] }, { text: 'Read.' }],
    Dig: [{ calls: [start] }, { text: 'Dug.', delay: gate.promise }],
  })
  const parent = await world.session({ agent: 'coder' })
  const mail = await world.send(parent.id, 'Start')
  await eventually(() => running() === 2)
  if (how === 'close') await act(world, parent.id, 'close')
  if (how === 'delete') await world.ok('DELETE', `/api/sessions/${parent.id}`)
  gate.resolve()
  if (how === 'end of its work') await world.settled(mail.mailId)
  await eventually(() => running() === 0)
})

describe.each(storesInTurn(import.meta.filename))('with %s, on a machine without a sandbox', (store) => {
  /** Only what the program itself needs is on the PATH. */
  function bare(): string {
    const folder = makeFolder()
    for (const name of ['bash', 'perl', 'git', 'touch'])
      symlinkSync(spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).stdout.trim(), join(folder, name))
    return folder
  }

  test('the person is told at the first command, allowed or asked for, and once', async () => {
    const env = { PATH: bare() }
    const world = await createWorld({ store, env, settings: { permissions: { allow: ['bash(touch *)'] } } })
    world.vendor.reply(
      { text: 'Hello.' },
      { calls: [spawn('coder', 'Dig', { wait: true })] },
      { calls: [bash('touch one')] },
      { calls: [bash('touch two')] },
      { text: 'Dug.' },
      { calls: [bash('touch three')] },
      { text: 'Done.' },
    )
    const told = async () => (await world.inbox()).filter(({ kind }) => kind === 'notice')
    const session = await world.session({ agent: 'coder' })
    await world.say(session.id, 'Hello')
    expect(await told()).toEqual([])
    await world.say(session.id, 'Dig')
    expect(await told()).toMatchObject([
      { title: expect.stringContaining('no sandbox'), body: expect.stringMatching(/apt install bubblewrap.*"off"/s) },
    ])
    const added = (await world.events()).filter(({ type }) => type === 'inbox.added')
    expect(added).toHaveLength(1)
    expect(['one', 'two', 'three'].map((name) => existsSync(join(world.project, name)))).toEqual([true, true, true])

    const other = await world.session({ agent: 'coder' })
    world.vendor.reply({ calls: [bash('git status')] })
    await world.say(other.id, 'Look')
    expect((await world.inbox()).map(({ kind }) => kind).toSorted()).toEqual(['approval', 'notice', 'notice'])
  })

  test('nobody is told what they chose', async () => {
    const settings = { sandbox: 'off', permissions: { allow: ['bash'] } }
    const world = await createWorld({ store, env: { PATH: bare() }, settings })
    putFile(join(world.project, 'a'), '')
    world.vendor.reply({ calls: [bash('touch one')] }, { text: 'Done.' })
    const session = await world.session({ agent: 'coder' })
    await world.say(session.id, 'Go')
    expect(existsSync(join(world.project, 'one'))).toBe(true)
    expect(await world.inbox()).toEqual([])
  })
})
