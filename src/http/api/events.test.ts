import { describe, expect, test } from 'vitest'
import { settleEvents, stores } from '../../../test/kit/database.ts'
import { ask } from '../../../test/kit/http.ts'
import { note } from '../../../test/kit/records.ts'
import { openSocket, openStream } from '../../../test/kit/streams.ts'
import { createWorld, type World } from '../../../test/kit/world.ts'
import type { AppError } from '../../contract/errors.ts'
import type { Delta, Event } from '../../contract/events.ts'
import { textOf } from '../../contract/messages.ts'
import { createFeed } from '../live/feed.ts'

const limits = { bufferBytes: 256 * 1024, drainMs: 300, pingMs: 15_000, pollMs: 50 }

const notes = (events: readonly Event[]): unknown[] => events.map(({ data }) => data.message)
const upTo = (count: number): string[] => Array.from({ length: count }, (_, at) => `note ${at}`)

/** A position before the first event. */
const fromTheStart = async ({ server }: World): Promise<string> =>
  `?after=${(await server.core.store.latestSeq()).replace(/\d+$/, '0')}`

describe.each(stores)('on %s', (store) => {
  test('a list goes on from its seq, without gap or repetition', async () => {
    const world = await createWorld({ store })
    await note(world, 25)
    await settleEvents(world.server.core.store)
    const got: Event[] = []
    let after = ''
    for (let page = 0; page < 5; page++) {
      const { json } = await world.call(
        'GET',
        `/api/events?limit=10&types=log${after && `&after=${encodeURIComponent(after)}`}`,
      )
      got.push(...json.items)
      after = json.seq
    }
    expect(notes(got)).toEqual(upTo(25))
    expect((await world.call('GET', '/api/events?after=nonsense')).json.error.code).toBe('events.bad_cursor')
    expect((await world.call('GET', '/api/events?types=nonsense')).json.error.message).toContain('"types')
  })

  test('the newest of a list come in their order, and its seq is behind them all', async () => {
    const world = await createWorld({ store })
    await note(world, 25)
    await settleEvents(world.server.core.store)
    const { json } = await world.call('GET', '/api/events?newest=true&limit=3&types=log')
    expect(notes(json.items)).toEqual(['note 22', 'note 23', 'note 24'])
    await note(world, 1, 25)
    await settleEvents(world.server.core.store)
    const next = await world.call('GET', `/api/events?types=log&after=${encodeURIComponent(json.seq)}`)
    expect(notes(next.json.items)).toEqual(['note 25'])
  })

  test.each([
    ['socket', openSocket],
    ['stream', openStream],
  ] as const)('a %s that is cut again and again gets every event once, in order', async (_kind, open) => {
    const world = await createWorld({ store, feedLimits: limits })
    const got: Event[] = []
    const first = await world.call('GET', '/api/events?types=log')
    let after: string = first.json.seq
    let written = 0
    for (let round = 0; round < 30; round++) {
      const reader = await open(world, `?after=${encodeURIComponent(after)}${round % 3 === 0 ? '&types=log' : ''}`)
      const writing = note(world, round % 7, written)
      written += round % 7
      // Some readers are cut before they got anything, some in the middle, some at the end.
      if (round % 4 !== 0)
        await reader.until(
          ({ events }) =>
            events.length >= (round % 5) + (got.length < written - 6 ? 1 : 0) || got.length + events.length === written,
        )
      reader.cut()
      got.push(...reader.events)
      after = reader.seq ?? after
      await writing
    }
    const last = await open(world, `?after=${encodeURIComponent(after)}`)
    await last.until(({ events }) => got.length + events.length >= written)
    expect(notes([...got, ...last.events])).toEqual(upTo(written))
  })

  test('live readers with different filters and beginnings each get exactly theirs', async () => {
    const world = await createWorld({ store, feedLimits: { ...limits, pingMs: 500 } })
    const { json: start } = await world.call('GET', '/api/events')
    await note(world, 10)
    const early = await openSocket(world, `?after=${encodeURIComponent(start.seq)}`)
    const late = await openSocket(world, '?deltas=true')
    await late.until(({ seq }) => seq !== undefined)
    const other = await openStream(world, '?types=session.created')
    await note(world, 5, 10)
    await world.call('POST', '/api/sessions', { body: { agent: 'assistant' } })
    await note(world, 5, 15)
    const isLast = ({ events }: { events: readonly Event[] }) => notes(events).includes('note 19')
    await Promise.all([early.until(isLast), late.until(isLast), other.until(({ events }) => events.length > 0)])
    expect(notes(early.events).filter(Boolean)).toEqual(upTo(20))
    expect(notes(late.events).filter(Boolean)).toEqual(upTo(20).slice(10))
    expect(other.events.map(({ type }) => type)).toEqual(['session.created'])
    // Events that the filter leaves out move the position all the same.
    const position = other.seq
    await other.until(({ seq }) => seq !== position)
    const resumed = await openStream(world, '?types=log', { 'last-event-id': other.seq! })
    await note(world, 1, 20)
    await resumed.until(({ events }) => events.length > 0)
    expect(notes(resumed.events)).toEqual(['note 20'])
  })
})

test.each([
  ['socket', openSocket],
  ['stream', openStream],
] as const)(
  'a %s that takes nothing is dropped, the others go on, and it resumes without gap or repetition',
  async (_kind, open) => {
    const world = await createWorld({ feedLimits: limits })
    const slow = await open(world, await fromTheStart(world))
    const quick = await open(world, await fromTheStart(world))
    await slow.until(({ seq }) => seq !== undefined)
    slow.pause()
    const text = 'x'.repeat(30_000)
    const count = 1000
    for (let at = 0; at < count; at += 100) {
      await note(world, 100, at, text)
      await quick.until(({ events }) => events.length >= at + 100)
    }
    expect(notes(quick.events)).toEqual(upTo(count))

    slow.resume()
    const { code, reason } = await slow.closed
    if (code === 4008) expect(reason).toContain('after')
    expect(slow.events.length).toBeLessThan(count)
    const resumed = await open(world, `?after=${slow.seq}`)
    await resumed.until(({ events }) => slow.events.length + events.length >= count)
    expect(notes([...slow.events, ...resumed.events])).toEqual(upTo(count))
  },
)

test('a reader that is only slower than a burst is not dropped', async () => {
  const world = await createWorld({ feedLimits: { ...limits, bufferBytes: 32 * 1024, drainMs: 30_000 } })
  const reader = await openSocket(world, await fromTheStart(world))
  await note(world, 500, 0, 'x'.repeat(20_000))
  await reader.until(({ events }) => events.length === 500)
  expect(notes(reader.events)).toEqual(upTo(500))
})

test('of a long backlog no more is read for a reader than it has taken, but for one page', async () => {
  const world = await createWorld()
  const { core } = world.server
  const after = await core.store.latestSeq()
  await note(world, 1000)
  const feed = createFeed(core, limits)
  const ended = Promise.withResolvers<AppError>()
  let written = 0
  // Its network has room for all of it and takes nothing, as that of one who has just gone.
  const write = (): void => {
    written += 1
  }
  await feed.subscribe({ buffered: 0, begin() {}, write, ping() {}, end: ended.resolve }, {}, after)
  expect((await ended.promise).code).toBe('events.too_slow')
  expect(written).toBe(200)
  feed.close()
})

test('a bad cursor is an answer, not a stream', async () => {
  const world = await createWorld()
  const headers = { authorization: `Bearer ${world.server.token}` }
  const stream = await ask({ port: world.port, path: '/api/events/stream?after=x', headers })
  expect([stream.status, stream.json.error.code]).toEqual([400, 'events.bad_cursor'])
  const socket = await openSocket(world)
  socket.send({ op: 'subscribe', id: 7, after: 'x' })
  await socket.until(({ frames }) => frames.length > 0)
  expect(socket.frames[0]).toMatchObject({ id: 7, error: { code: 'events.bad_cursor' } })
})

test('deltas ride beside the events, for the session that was asked for', async () => {
  const world = await createWorld()
  const mine = (await world.call('POST', '/api/sessions', { body: { agent: 'assistant' } })).json
  const socket = await openSocket(world, `?session=${mine.handle}&deltas=true`)
  const all = await openStream(world, '?deltas=true&project=*')
  await Promise.all([socket, all].map((reader) => reader.until(({ seq }) => seq !== undefined)))
  const delta = {
    project: world.server.core.project.id,
    turnId: 'turn_1',
    attempt: 'a',
    kind: 'text' as const,
    offset: 0,
  }
  world.server.core.bus.delta({ ...delta, sessionId: 'f'.repeat(32), text: 'not mine' })
  world.server.core.bus.delta({ ...delta, sessionId: mine.id, text: 'mine' })
  const texts = (frames: readonly { delta?: { text: string } }[]) => frames.flatMap((frame) => frame.delta?.text ?? [])
  await socket.until(({ frames }) => texts(frames).length === 1)
  await all.until(({ frames }) => texts(frames).length === 2)
  expect([texts(socket.frames), texts(all.frames)]).toEqual([['mine'], ['not mine', 'mine']])
  socket.cut()
  all.cut()
  await Promise.all([socket.closed, all.closed])
})

test.each([
  ['socket', openSocket],
  ['stream', openStream],
] as const)(
  'a %s that comes while a message is written gets its beginning first, and then the rest',
  async (_kind, open) => {
    const world = await createWorld()
    world.vendor.script(() => ({ text: `Once upon a time. ${'And more of it. '.repeat(40)}`, hang: true }))
    const session = await world.session()
    const heard = world.streams('And more of it. And more')
    await world.send(session.id, 'Tell me')
    await heard
    const reader = await open(world, `?session=${session.id}&deltas=true`)
    const pieces = () => reader.frames.flatMap(({ delta }) => (delta ? [delta as Delta] : []))
    await reader.until(() => pieces().length > 0)
    expect(pieces()[0]).toMatchObject({ kind: 'text', offset: 0, text: expect.stringMatching(/^Once upon a time\./) })

    // The end of it goes out when it is stopped; behind that the log has it, and nobody is told of it any more.
    await world.ok('POST', `/api/sessions/${session.id}/cancel`)
    await reader.until(({ events }) => events.some(({ type }) => type === 'turn.ended'))
    const [said] = (await world.messages(session.id)).filter(({ role }) => role === 'assistant')
    expect(
      pieces()
        .map(({ text }) => text)
        .join(''),
    ).toBe(textOf(said!.parts))
    expect(pieces().every(({ seq }) => seq === said!.seq)).toBe(true)
    const late = await open(world, `?session=${session.id}&deltas=true`)
    await world.send(session.id, 'Again')
    await late.until(({ frames }) => frames.some(({ delta }) => delta))
    expect(late.frames.find(({ delta }) => delta).delta.seq).toBeGreaterThan(said!.seq)
  },
)

test('a second subscribe replaces the first and goes on where it was', async () => {
  const world = await createWorld()
  const socket = await openSocket(world)
  socket.send({ op: 'subscribe', id: 'a' })
  await socket.until(({ frames }) => frames.some(({ id }) => id === 'a'))
  await note(world, 3)
  await socket.until(({ events }) => events.length === 3)
  socket.send({ op: 'subscribe', id: 'b', types: ['log'] })
  await note(world, 3, 3)
  await socket.until(({ events }) => events.length === 6)
  expect(notes(socket.events)).toEqual(upTo(6))
})

test('frames on the socket are answered with their id, and bad ones with what is wrong', async () => {
  const world = await createWorld()
  const socket = await openSocket(world)
  const { json: session } = await world.call('POST', '/api/sessions', { body: { agent: 'assistant' } })
  socket.send({ op: 'send', id: 1, to: session.handle, content: 'hello' })
  socket.send({ op: 'answer', id: 2, inboxId: 'inbox_none', answer: 'yes' })
  socket.send({ op: 'cancel', id: 3, session: session.handle })
  socket.send({ op: 'dance', id: 4 })
  socket.send('not json')
  socket.send({ op: 'send', id: 6, to: 'nobody', content: 'hello' })
  await socket.until(({ frames }) => frames.length === 6)
  const byId = Object.fromEntries(socket.frames.map((frame) => [frame.id ?? 'none', frame]))
  expect(byId[1].ok).toMatchObject({ outcome: 'started', sessionId: session.id })
  expect(byId[2].error.code).toBe('inbox.not_found')
  expect(byId[3].ok.id).toBe(session.id)
  expect(byId[4].error.code).toBe('request.invalid')
  expect(byId.none.error.code).toBe('request.invalid')
  expect(byId[6].error.code).toBe('address.unknown')
})

test('when the server closes, readers are told to come back', async () => {
  const world = await createWorld()
  const socket = await openSocket(world, await fromTheStart(world))
  const stream = await openStream(world, await fromTheStart(world))
  await world.server.stop()
  expect(await socket.closed).toMatchObject({ code: 1001, reason: expect.stringContaining('after') })
  await stream.closed
  expect(stream.frames.at(-1).error.code).toBe('server.shutting_down')
})
