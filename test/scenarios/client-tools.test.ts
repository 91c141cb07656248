import { describe, expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { offerTools } from '../../src/client/tools.ts'
import { fetchTransport } from '../../src/client/transport.ts'
import { createClientTools } from '../../src/core/clients/index.ts'
import { findProject } from '../../src/core/config/index.ts'
import { act, cast } from '../kit/cast.ts'
import { storesInTurn } from '../kit/database.ts'
import { openSocket } from '../kit/streams.ts'
import { createWorld, type World } from '../kit/world.ts'

const allowed = { settings: { permissions: { allow: ['*'] } } }
const schema = {
  type: 'object',
  properties: { path: { type: 'string' } },
  required: ['path'],
  additionalProperties: false,
}
const open = (name = 'editor_open', more = {}) => ({ name, description: 'Opens a file.', inputSchema: schema, ...more })
const use = (input: unknown = { path: 'a.ts' }, name = 'editor_open') => ({ calls: [{ name, input }] })

type Socket = Awaited<ReturnType<typeof openSocket>>
let ids = 0
/** Sends a frame and gives the answer to it. */
async function ask(socket: Socket, frame: object) {
  const id = ++ids
  socket.send({ ...frame, id })
  await socket.until(({ frames }) => frames.some((one) => one.id === id))
  return socket.frames.find((one) => one.id === id)
}
const register = (socket: Socket, whom: object, ...tools: object[]) =>
  ask(socket, { op: 'tools.register', client: 'editor', ...whom, tools })
const answer = (socket: Socket, callId: string, output: unknown, more = {}) =>
  ask(socket, { op: 'tool.result', client: 'editor', callId, output, ...more })
const callsTo = (socket: Socket) => socket.frames.flatMap(({ call }) => (call ? [call] : []))
async function called(socket: Socket) {
  await socket.until(() => callsTo(socket).length > 0)
  return callsTo(socket)[0]
}
const systemTexts = async (world: World, session: string) =>
  (await world.messages(session)).filter(({ role }) => role === 'system').map(({ parts }) => JSON.stringify(parts))

describe.each(storesInTurn(import.meta.filename))('on %s', (store) => {
  test('a client offers a tool; a call is asked about, sent to it, and its answer is the result', async () => {
    const world = await createWorld({ store })
    const session = await world.session()
    await world.say(session.id, 'Hello')
    const socket = await openSocket(world)
    expect(await register(socket, { session: session.id }, open())).toMatchObject({ ok: { tools: 1 } })
    world.vendor.reply(use(), { text: 'It is open.' })
    await world.say(session.id, 'Open it')
    // The same rules as for any tool: this one is asked for.
    const [item] = await world.inbox()
    expect(item).toMatchObject({ kind: 'approval', title: expect.stringContaining('editor_open') })
    expect(callsTo(socket)).toEqual([])
    await world.ok('POST', `/api/inbox/${item!.id}/answer`, { decision: 'once' })
    const call = await called(socket)
    expect(call).toMatchObject({
      client: 'editor',
      name: 'editor_open',
      input: { path: 'a.ts' },
      sessionId: session.id,
    })
    const why = await world.ok<{ text: string }>('GET', `/api/why/${session.id}`)
    expect(why.text).toContain('for the answer of the client "editor"')
    // Mail waits for it, a follow-up too.
    expect((await world.send(session.id, 'And then?', { followup: true })).outcome).toBe('queued')
    const other = await openSocket(world)
    expect(
      (await ask(other, { op: 'tool.result', client: 'thief', callId: call.callId, output: 'x' })).error.code,
    ).toBe('call.not_found')
    expect(await answer(socket, call.callId, 'opened \u001b[31ma.ts')).toMatchObject({ ok: { callId: call.callId } })
    expect((await answer(socket, call.callId, 'again')).error.code).toBe('call.resolved')
    await world.reaches(session.id, 'idle')
    expect(await world.results(session.id)).toEqual(['opened a.ts'])
    expect((await systemTexts(world, session.id)).join()).toContain('editor_open')
  })

  test('a client that comes back gets the open calls once more each; one that stays away costs an ordinary error', async () => {
    const world = await createWorld({ store, ...allowed })
    const session = await world.session()
    const first = await openSocket(world)
    await register(
      first,
      { session: session.id },
      open('editor_open', { parallel: true }),
      open('editor_close', { parallel: true, timeoutSeconds: 2 }),
    )
    world.vendor.reply({ calls: [...use().calls, ...use({ path: 'b.ts' }, 'editor_close').calls] }, { text: 'Done.' })
    await world.send(session.id, 'Open')
    await first.until(() => callsTo(first).length === 2)
    first.cut()
    await world.restart()
    const again = await openSocket(world)
    await register(again, { session: session.id }, open())
    await register(again, { session: session.id }, open())
    await again.until(() => callsTo(again).some(({ name }) => name === 'editor_open'))
    const calls = callsTo(again).filter(({ name }) => name === 'editor_open')
    expect(calls.map(({ callId }) => callId)).toEqual([
      callsTo(first).find(({ name }) => name === 'editor_open').callId,
    ])
    await answer(again, calls[0].callId, { opened: true })
    await world.reaches(session.id, 'idle')
    expect(await world.results(session.id)).toEqual(
      expect.arrayContaining([
        { opened: true },
        expect.stringContaining('The client "editor" did not answer within 2 s'),
      ]),
    )
    expect(callsTo(again).filter(({ callId }) => callId === calls[0].callId)).toHaveLength(1)
  })
})

test('names that others have, bad schemas, too many tools and tokens of sessions are refused with the way out', async () => {
  const world = await createWorld({ files: cast('ann', 'ben') })
  const [session, other] = [await world.session({ agent: 'ann' }), await world.session({ agent: 'ben' })]
  const [one, two] = [await openSocket(world), await openSocket(world)]
  const code = async (socket: Socket, whom: object, ...tools: object[]) =>
    (await ask(socket, { op: 'tools.register', client: 'other', ...whom, tools })).error?.code
  await register(one, { agent: 'ann' }, open())
  expect(await code(two, { agent: 'ann' }, open())).toBe('tool.taken')
  expect(await code(two, { session: session.id }, open())).toBe('tool.taken')
  expect(await code(two, { session: other.id }, open())).toBeUndefined()
  const { core } = world.server
  const tools = createClientTools()
  const atOnce = ['first', 'second'].map((client) =>
    tools.register(
      core,
      findProject(core.home, world.project),
      'ann',
      { client, agent: 'ann', tools: [open()] },
      { send() {} },
    ),
  )
  const ends = await Promise.allSettled(atOnce)
  expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  await tools.close?.()
  expect((await register(one, { agent: 'ben' }, open())).error?.code).toBe('tool.taken')
  expect(await code(two, { agent: 'ann' }, open('bash'))).toBe('tool.taken')
  expect(await code(two, { agent: 'ann' }, open('x'), open('x'))).toBe('tool.taken')
  expect(await code(two, { agent: 'ann' }, open('x', { inputSchema: { type: 'string' } }))).toBe('request.invalid')
  expect(await code(two, { agent: 'ann', session: session.id }, open('x'))).toBe('request.invalid')
  expect(await code(two, {}, open('x'))).toBe('request.invalid')
  expect(await code(two, { agent: 'nobody' }, open('x'))).toBe('agent.not_found')
  expect(await code(two, { agent: 'ann' }, ...Array.from({ length: 51 }, (_, at) => open(`x${at}`)))).toBe(
    'request.invalid',
  )
  await expect(openSocket(world, '', world.server.core.tokenOf(session.id))).rejects.toThrow('403')
  // The tools of an agent are there for its sessions, and for nobody else.
  const names = async (id: string) =>
    (await world.ok<{ items: { name: string; source: string }[] }>('GET', `/api/sessions/${id}/tools?limit=200`)).items
      .filter(({ source }) => source === 'client')
      .map(({ name }) => name)
  expect([await names(session.id), await names(other.id)]).toEqual([['editor_open'], ['editor_open']])
  await register(one, { agent: 'ann' })
  expect(await names(session.id)).toEqual([])
})

test('input is checked before it is sent, a secret is not, and what comes back is bounded', async () => {
  const world = await createWorld({ ...allowed, env: { OPENAI_API_KEY: 'sk-canary-0123456789abcdef' } })
  const session = await world.session()
  const socket = await openSocket(world)
  await register(socket, { session: session.id }, open())
  world.vendor.reply(use({ file: 'a.ts' }), use({ path: 'sk-canary-0123456789abcdef' }), use(), { text: 'Done.' })
  await world.send(session.id, 'Open')
  const call = await called(socket)
  expect(call.input).toEqual({ path: 'a.ts' })
  await answer(socket, call.callId, 'x'.repeat(30_000), { error: true })
  await world.reaches(session.id, 'idle')
  const results = (await world.results(session.id)) as string[]
  expect(results[0]).toContain('does not fit editor_open')
  expect(results[1]).toContain('secret')
  expect(results[2]).toMatch(/^x{20000}\n\[10000 more characters were cut/)
})

test('the typed client runs each call once, gives errors back, and comes back after the server restarts', async () => {
  const world = await createWorld(allowed)
  const session = await world.session()
  const runs: unknown[] = []
  const held = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const { url, token } = world.server
  const client = createClient({ transport: fetchTransport(url), token })
  const offering = await offerTools(
    client,
    {
      client: 'script',
      session: session.id,
      tools: {
        script_wait: {
          description: 'Waits.',
          async run(input, { callId }) {
            runs.push([input, callId])
            begun.resolve()
            await held.promise
            return { waited: true }
          },
        },
        script_fail: { description: 'Fails.', run: () => Promise.reject(new Error('No such thing.')) },
      },
    },
    { find: async () => world.server.url },
  )
  world.vendor.reply(
    { calls: [{ name: 'script_wait', input: { a: 1 } }] },
    { calls: [{ name: 'script_fail', input: {} }] },
    { text: 'Done.' },
  )
  await world.send(session.id, 'Wait')
  await begun.promise
  await world.restart()
  held.resolve()
  await world.reaches(session.id, 'idle')
  expect(await world.results(session.id)).toEqual([{ waited: true }, 'No such thing.'])
  expect(runs).toHaveLength(1)
  offering.close()
  await offering.ended
  await expect(
    offerTools(
      client,
      { client: 'script', agent: 'assistant', tools: { bash: { description: 'Mine.', run: () => '' } } },
      { find: async () => world.server.url },
    ),
  ).rejects.toThrow()
})

test('whoever cancels the turn ends the wait, and the late answer is refused', async () => {
  const world = await createWorld(allowed)
  const session = await world.session()
  const socket = await openSocket(world)
  await register(socket, { session: session.id }, open())
  world.vendor.reply(use())
  await world.send(session.id, 'Open')
  const { callId } = await called(socket)
  await world.reaches(session.id, 'waiting')
  await act(world, session.id, 'cancel')
  await world.reaches(session.id, 'idle')
  expect((await answer(socket, callId, 'late')).error.code).toBe('call.resolved')
})
