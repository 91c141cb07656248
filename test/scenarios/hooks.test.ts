import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { HooksFile } from '../../src/contract/hook-file.ts'
import { act } from '../kit/cast.ts'
import { storesInTurn } from '../kit/database.ts'
import { eventually, processesWith } from '../kit/processes.ts'
import { createWorld, type World } from '../kit/world.ts'

const write = (path: string, content = 'x') => ({ name: 'write_file', input: { path, content } })
const settings = (hooks: HooksFile, more = {}) => ({ settings: { hooks, ...more } })
const ended = async (world: World, session: string) =>
  (await world.events(session)).filter(({ type }) => type === 'hook.ended').map(({ data }) => data)

/** Keeps what it was told, one line for each run. */
const keeps = (file: string): string => `cat >> ${file}`
const linesIn = (world: World, file: string) => {
  const path = join(world.project, file)
  return existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    : []
}

test('a session that is older than a hook of the start hears it before its next turn, and once', async () => {
  const world = await createWorld()
  const session = await world.session()
  await world.say(session.id, 'Before')
  const hooks = { sessionStart: [{ name: 'late', command: `echo '{"text":"Speak softly."}'` }] }
  await world.ok('PATCH', '/api/settings', { where: 'home', changes: { hooks } })
  await world.say(session.id, 'After')
  await world.say(session.id, 'Again')
  expect(await ended(world, session.id)).toMatchObject([{ event: 'sessionStart', hook: 'late', verdict: 'said' }])
})

test('while a hook of an end runs, no other host runs it before its time and a little more are over', async () => {
  const waits = 'touch begun; until [ -e go ]; do sleep 0.05; done'
  const world = await createWorld(settings({ turnEnd: [{ command: waits, timeoutSeconds: 60 }] }))
  const { id } = await world.session()
  const before = Date.now()
  await world.say(id, 'Hello')
  await world.eventually(async () => existsSync(join(world.project, 'begun')))
  const { read } = world.server.core.store
  const next = () => read.selectFrom('timers').select('due_at').where('kind', '=', 'hooks').execute()
  expect((await next()).map(({ due_at }) => due_at > before + 62_000)).toEqual([true])
  writeFileSync(join(world.project, 'go'), '')
  await world.eventually(async () => (await next()).length === 0)
  expect(await ended(world, id)).toMatchObject([{ event: 'turnEnd', verdict: 'passed' }])
})

describe.each(storesInTurn(import.meta.filename))('on %s', (store) => {
  test('hooks are told of the start, each tool and the ends, in documented JSON, and what they say reaches the agent', async () => {
    const world = await createWorld({
      store,
      ...settings({
        sessionStart: [{ name: 'hello', command: `${keeps('told.txt')}; echo '{"text":"Speak softly."}'` }],
        beforeTool: [{ command: keeps('told.txt'), match: ['write_*'] }],
        afterTool: [{ name: 'lint', command: `${keeps('told.txt')}; echo '{"text":"Lint: one warning."}'` }],
        turnEnd: [{ name: 'bell', command: keeps('told.txt') }],
        taskEnd: [{ command: keeps('told.txt') }],
      }),
    })
    const session = await world.session()
    world.vendor.reply({ calls: [write('a.txt'), { name: 'list_dir', input: {} }] }, { text: 'Done.' })
    await world.say(session.id, 'Write')
    await world.eventually(async () => linesIn(world, 'told.txt').length === 5)
    const told = linesIn(world, 'told.txt')
    const about = { version: 1, project: world.project, workspace: world.project, at: expect.any(String) }
    const who = { session: { id: session.id, agent: 'assistant', mode: 'chat' } }
    const byEvent = Object.groupBy(told, ({ event }) => event as string)
    expect(Object.keys(byEvent)).toEqual(['sessionStart', 'beforeTool', 'afterTool', 'turnEnd'])
    expect(byEvent.sessionStart).toEqual([
      { ...about, ...who, event: 'sessionStart', hook: 'hello', key: expect.stringContaining(session.id) },
    ])
    const tool = { name: 'write_file', callId: expect.any(String), input: { path: 'a.txt', content: 'x' } }
    expect(byEvent.beforeTool).toMatchObject([{ ...about, ...who, tool }])
    expect(byEvent.afterTool).toMatchObject([
      { tool, result: { error: false, output: expect.stringContaining('a.txt') } },
      { tool: { name: 'list_dir' } },
    ])
    expect(byEvent.turnEnd).toMatchObject([{ turn: { end: 'done', iterations: 2, answer: 'Done.' } }])
    expect(JSON.stringify(world.vendor.requests[0]!.body)).toContain('[hook \\"hello\\"] Speak softly.')
    expect(await world.results(session.id)).toMatchObject([
      expect.stringContaining('[hook "lint"] Lint: one warning.'),
      expect.stringContaining('[hook "lint"] Lint: one warning.'),
    ])
    await world.say(session.id, 'Again')
    await world.eventually(async () => (await ended(world, session.id)).length === 6)
    expect((await ended(world, session.id)).map(({ event, verdict }) => [event, verdict])).toEqual([
      ['sessionStart', 'said'],
      ['beforeTool', 'passed'],
      ['afterTool', 'said'],
      ['afterTool', 'said'],
      ['turnEnd', 'passed'],
      ['turnEnd', 'passed'],
    ])

    world.vendor.reply({ text: 'Worked.' })
    const task = await world.ok<{ id: string }>('POST', '/api/tasks', { agent: 'assistant', input: { prompt: 'Work' } })
    await world.eventually(async () => linesIn(world, 'told.txt').some(({ event }) => event === 'taskEnd'))
    const last = linesIn(world, 'told.txt').find(({ event }) => event === 'taskEnd')
    expect(last).toMatchObject({ taskId: task.id, task: { id: task.id, status: 'finished', answer: 'Worked.' } })
  })

  test('hooks run in order, each changes what the next one sees, and what comes of it is judged, asked about and run', async () => {
    const change = (from: string, to: string) =>
      `jq -c '{input: (.tool.input | if .path == "${from}" then .path = "${to}" else . end)}'`
    const world = await createWorld({
      store,
      ...settings(
        {
          beforeTool: [
            { name: 'one', command: change('a.txt', 'b.txt') },
            { name: 'two', command: change('b.txt', '.env') },
            { name: 'three', command: change('c.txt', 'denied.txt') },
          ],
        },
        { permissions: { deny: ['write_file(denied.txt)'] } },
      ),
    })
    const session = await world.session()
    world.vendor.reply({ calls: [write('a.txt', 'A=1')] }, { text: 'Done.' })
    await world.say(session.id, 'Write')
    // Writing .env is asked about, whatever the model asked for.
    const [item] = await world.inbox()
    expect(item).toMatchObject({ kind: 'approval', body: expect.stringContaining('.env') })
    expect(item!.body).not.toContain('a.txt')
    await world.ok('POST', `/api/inbox/${item!.id}/answer`, { decision: 'once' })
    await world.eventually(async () => (await world.look(session.id)).status === 'idle')
    expect(readFileSync(join(world.project, '.env'), 'utf8')).toBe('A=1')
    expect(existsSync(join(world.project, 'a.txt'))).toBe(false)
    expect(await world.results(session.id)).toEqual([
      expect.stringMatching(/The hook "one", "two" changed the input of this call to .*\.env/),
    ])
    const started = (await world.events(session.id)).find(({ type }) => type === 'tool.started')
    expect(started!.data.preview).toContain('.env')
    // What a hook leaves is refused by the rules like anything else.
    world.vendor.reply({ calls: [write('c.txt')] }, { text: 'Denied.' })
    await world.say(session.id, 'Write c')
    expect((await world.results(session.id))[1]).toContain('Not permitted: rule deny "write_file(denied.txt)"')
    expect(existsSync(join(world.project, 'c.txt'))).toBe(false)
  })
})

test('the first no ends it: later hooks do not run, the model reads the reason, and nothing is asked', async () => {
  const world = await createWorld(
    settings({
      beforeTool: [
        { name: 'guard', match: ['ba*'], command: 'echo "Not on a Friday" >&2; exit 2' },
        { name: 'late', command: keeps('late.txt') },
      ],
    }),
  )
  const session = await world.session()
  world.vendor.reply({ calls: [{ name: 'bash', input: { command: 'touch made' } }] }, { text: 'I see.' })
  await world.say(session.id, 'Run')
  expect(await world.results(session.id)).toEqual([
    'Denied by the hook "guard": Not on a Friday. Do not try the same by another way.',
  ])
  expect(await world.inbox()).toEqual([])
  expect([existsSync(join(world.project, 'made')), linesIn(world, 'late.txt')]).toEqual([false, []])
  expect(await ended(world, session.id)).toMatchObject([
    { event: 'beforeTool', hook: 'guard', verdict: 'denied', preview: 'Not on a Friday', callId: expect.any(String) },
  ])
  world.vendor.reply({ calls: [write('c.txt')] }, { text: 'Fine.' })
  await world.say(session.id, 'Write')
  expect(linesIn(world, 'late.txt')).toHaveLength(1)
})

test.each([
  ['fails', 'echo broken >&2; exit 3', /ended with exit code 3; it said: broken/],
  ['hangs', 'sleep 1000.77', /took longer than 1 s and was ended/],
  ['prints nonsense', 'echo fine', /printed something else than/],
  ['prints too much', 'head -c 3000000 /dev/zero | tr "\\0" x', /exit code 141|more than 1 MB/],
  [
    'nests without end',
    `n=$(printf '[%.0s' {1..3000}); echo '{"input":{"a":'$n\${n//[/]}'}}'`,
    /printed something else than/,
  ],
  ['answers with unknown fields', 'echo \'{"decision":"allow"}\'', /printed something else than/],
])('before a tool a hook that %s keeps the call from running, and says who can repair it', async (_, command, why) => {
  const world = await createWorld(settings({ beforeTool: [{ name: 'guard', command, timeoutSeconds: 1 }] }))
  const session = await world.session()
  world.vendor.reply({ calls: [write('a.txt')] }, { text: 'I see.' })
  await world.say(session.id, 'Write')
  const [result] = await world.results(session.id)
  expect(result).toMatch(why)
  expect(result).toMatch(
    /^Not run: the hook "guard" has to agree first .*Only the person can repair or remove it, in .*settings\.json; "troupe hooks test"/s,
  )
  expect(existsSync(join(world.project, 'a.txt'))).toBe(false)
  expect(await world.inbox()).toMatchObject([{ kind: 'notice', title: 'The hook "guard" fails' }])
  await eventually(() => processesWith('sleep\x001000.77').length === 0)
})

test('elsewhere a hook that fails costs one notice in a session, and the work goes on', async () => {
  const broken = [{ name: 'broken', command: 'exit 1' }]
  const world = await createWorld(settings({ sessionStart: broken, afterTool: broken, turnEnd: broken }))
  const session = await world.session()
  world.vendor.reply({ calls: [write('a.txt'), write('b.txt')] }, { text: 'Done.' })
  expect((await world.say(session.id, 'Write')).reply).toBe('Done.')
  await world.eventually(async () => (await ended(world, session.id)).length === 4)
  expect((await world.inbox()).map(({ title, body }) => [title, body.split(',')[0]]).toSorted()).toEqual([
    ['The hook "broken" fails', 'afterTool'],
    ['The hook "broken" fails', 'sessionStart'],
    ['The hook "broken" fails', 'turnEnd'],
  ])
})

test('while a hook runs, why names it; whoever cancels the turn ends the hook, and the call is not run', async () => {
  const world = await createWorld(
    settings({ beforeTool: [{ name: 'slow', command: 'touch begun; sleep 1000.88', timeoutSeconds: 300 }] }),
  )
  const session = await world.session()
  world.vendor.reply({ calls: [write('a.txt')] })
  await world.send(session.id, 'Write')
  await eventually(() => existsSync(join(world.project, 'begun')))
  const why = await world.ok<{ text: string }>('GET', `/api/why/${session.id}`)
  expect(why.text).toContain('waits for the hook "slow" before write_file')
  const [call] = (await world.messages(session.id))
    .flatMap(({ parts }) => parts)
    .filter(({ type }) => type === 'tool-call')
  const asked = await world.ok<{ text: string }>('GET', `/api/why/${(call as { callId: string }).callId}`)
  expect(asked.text).toContain('waits for the hook "slow"')
  await act(world, session.id, 'cancel')
  await world.reaches(session.id, 'idle')
  await eventually(() => processesWith('sleep\x001000.88').length === 0)
  expect(existsSync(join(world.project, 'a.txt'))).toBe(false)
})

test('hooks of an agent come before those of the settings, hold in every mode, and get only the variables they name', async () => {
  const say = (name: string) => ({ name, command: `echo '{"text":"${name} '"$MINE$OTHER"'"}'`, env: ['MINE'] })
  const world = await createWorld({
    ...settings({ afterTool: [say('all')] }),
    env: { MINE: 'mine', OTHER: 'other' },
    files: {
      '../home/agents/ann/agent.json': JSON.stringify({
        model: 'lab/ann',
        hooks: { afterTool: [say('own')] },
        modes: { chat: { hooks: { afterTool: [say('chat')] } } },
      }),
    },
  })
  const session = await world.session({ agent: 'ann' })
  world.vendor.queue({ model: 'ann' }, { calls: [{ name: 'list_dir', input: {} }] }, { text: 'Done.' })
  await world.say(session.id, 'Look')
  const [result] = await world.results(session.id)
  const said = [...String(result).matchAll(/\[hook "(\w+)"\] \w+ (\w*)$/gm)].map(([, name, variables]) => [
    name,
    variables,
  ])
  expect(said).toEqual([
    ['own', 'mine'],
    ['chat', 'mine'],
    ['all', 'mine'],
  ])
})
