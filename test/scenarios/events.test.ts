import { isDeepStrictEqual } from 'node:util'
import { describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { fold, foldLog, placeOf } from '../../src/client/fold.ts'
import { Event, events as table } from '../../src/contract/events.ts'
import type { Message } from '../../src/contract/messages.ts'
import type { Session } from '../../src/contract/sessions.ts'
import { act } from '../kit/cast.ts'
import { type StoreKind, settleEvents, stores } from '../kit/database.ts'
import { atRest } from '../kit/records.ts'
import { dollar, price, spawn } from '../kit/script.ts'
import type { SeenRequest } from '../kit/vendor/reply.ts'
import { createWorld, type World } from '../kit/world.ts'

async function snapshot(world: World, id: string) {
  const session = await world.request<Session>('GET', `/api/sessions/${id}`)
  const log = await world.request<{ items: Message[] }>('GET', `/api/sessions/${id}/messages?limit=200`)
  return {
    session: session.body,
    sessionSeq: session.headers.get('troupe-seq')!,
    log: log.body.items.map(placeOf),
    logSeq: log.headers.get('troupe-seq')!,
  }
}

async function eventsAfter(world: World, id: string, after: string): Promise<Event[]> {
  const path = `/api/events?limit=1000&session=${id}&after=${encodeURIComponent(after)}`
  return (await world.ok<{ items: Event[] }>('GET', path)).items
}

/** What happened between two snapshots. The later list is read last: what is in both came after the second snapshot. */
async function between(world: World, id: string, from: string, to: string): Promise<Event[]> {
  const known = ({ type, at, data }: Event) => JSON.stringify([type, at, data])
  const all = await eventsAfter(world, id, from)
  const later = new Set((await eventsAfter(world, id, to)).map(known))
  return all.filter((event) => !later.has(known(event)))
}

/** Events of a commit may be read a moment after its rows: never before every older commit. */
async function comesTo<T>(world: World, made: () => Promise<T>, wanted: T): Promise<void> {
  await world.eventually(async () => isDeepStrictEqual(await made(), wanted)).catch(() => {})
  expect(await made()).toEqual(wanted)
}

/** Everything that can happen to one session, one thing after the other. */
async function* life(world: World, id: string) {
  const path = `/api/sessions/${id}`
  const act = (name: string) => world.ok('POST', `${path}/${name}`)
  yield await world.say(id, 'The first line')
  yield await world.say(id, 'Ask two things')
  for (const item of await world.inbox()) {
    yield await world.ok('POST', `/api/inbox/${item.id}/answer`, { answer: 'Yes' })
    await world.eventually(async () => (await world.look(id)).status !== 'running')
  }
  await world.reaches(id, 'idle')
  yield await world.ok('PATCH', path, { title: 'Renamed', pinned: true, attributes: { a: 1 } })
  yield await world.ok('POST', `${path}/read`, { seq: 2 })
  const [first] = await world.messages(id)
  yield await world.ok('PATCH', `${path}/messages/${first?.id}`, { text: 'Edited' })
  yield await world.ok('DELETE', `${path}/messages/${first?.id}`)
  yield await act('pause')
  yield await world.send(id, 'While paused')
  yield await act('resume')
  yield await world.reaches(id, 'idle')
  yield await world.say(id, 'Fail now')
  yield await act('close')
  yield await act('reopen')
  yield await act('clear')
  yield await world.ok('PATCH', path, { pinned: false })
  yield await world.say(id, 'The last line')
}

/** One that spends: by its own answers, by requests that fail, and by children; with a known price and without. */
async function* spending(world: World, id: string) {
  yield await world.say(id, 'Hand it over')
  yield await world.say(id, 'Hand it on')
  await world.eventually(async () => (await world.look(id)).lastSnippet === 'Read.')
  yield await atRest(world)
  yield await world.say(id, 'Break once')
  yield await world.say(id, 'Break for good')
  const thinks = world.streams('Hm.')
  const mail = await world.send(id, 'Think')
  await thinks
  await act(world, id, 'cancel')
  yield await world.settled(mail.mailId)
  yield await world.ok('PATCH', `/api/sessions/${id}`, { model: 'lab/unpriced' })
  yield await world.say(id, 'Hand it over again')
  yield await world.say(id, 'Break once more')
}

async function spender(store: StoreKind): Promise<World> {
  const world = await createWorld({ store, protocol: 'anthropic' })
  price(world)
  const broken = { text: 'Half a', cut: 0.6, ...dollar }
  const tries = new Map<string, number>()
  world.vendor.script((request) => {
    const { lastUserText, messages } = request
    if (playsChild(request)) return { text: 'Done.', ...dollar }
    const fresh = messages.at(-1)?.role === 'user'
    if (lastUserText.includes('finished.')) return { text: 'Read.', ...dollar }
    if (lastUserText.includes('Hand it over')) return fresh ? { calls: [spawn('writer', 'Work')], ...dollar } : said
    if (lastUserText.includes('Hand it on'))
      return fresh ? { calls: [spawn('writer', 'Work', { wait: false })], ...dollar } : said
    if (lastUserText.includes('for good')) return { ...broken, error: { kind: 'policy', inStream: true } }
    if (lastUserText.includes('Think')) return { reasoning: 'Hm.', hang: true, ...dollar }
    const tried = tries.get(lastUserText) ?? 0
    tries.set(lastUserText, tried + 1)
    return tried === 0 ? broken : said
  })
  return world
}

const said = { text: 'Well.', ...dollar }

const playsChild = ({ messages }: SeenRequest): boolean => messages[0]?.text.includes('Work') ?? false

describe.each(stores)('events on %s', (store) => {
  test('what a session spends, and what its children spend, is in events: they make up the later snapshot', async () => {
    const world = await spender(store)
    const { id } = await world.session()
    const start = await snapshot(world, id)
    for await (const _ of spending(world, id)) {
      const now = await snapshot(world, id)
      const changes = () => between(world, id, start.sessionSeq, now.sessionSeq)
      await comesTo(world, async () => (await changes()).reduce(fold, start.session), now.session)
    }
    const { costUsd, totalCostUsd, unpricedTokens } = await world.look(id)
    const seen = world.vendor.requests
    const dollars = (child: boolean, model: string) =>
      seen.filter((request) => playsChild(request) === child && request.model === model).length
    expect(costUsd).toBeCloseTo(dollars(false, 'test-model'), 3)
    expect(totalCostUsd - costUsd).toBeCloseTo(dollars(true, 'test-model'), 3)
    expect(Math.round(unpricedTokens / 1_000_000)).toBe(dollars(false, 'unpriced') + dollars(true, 'unpriced'))
    expect(dollars(false, 'unpriced')).toBeGreaterThan(2)
  })

  test('a snapshot and the events after it are the later snapshot, for the session and for its log', async () => {
    const world = await createWorld({ store })
    const questions = ['One?', 'Two?'].map((question) => ({ name: 'ask_human', input: { question } }))
    world.vendor.script(({ lastUserText, messages }) => {
      if (lastUserText.includes('Fail now')) return { error: { kind: 'auth' } }
      return lastUserText.includes('two things') && messages.at(-1)?.role === 'user'
        ? { calls: questions }
        : { text: 'Well.' }
    })
    const { id } = await world.session()
    const start = await snapshot(world, id)
    for await (const _ of life(world, id)) {
      const now = await snapshot(world, id)
      const changes = () => between(world, id, start.sessionSeq, now.sessionSeq)
      await comesTo(world, async () => (await changes()).reduce(fold, start.session), now.session)
      const places = () => between(world, id, start.logSeq, now.logSeq)
      await comesTo(world, async () => (await places()).reduce(foldLog, start.log), now.log)
    }
  })

  test('every event is in the catalogue and carries what it says there', async () => {
    const world = await createWorld({ store })
    const { id } = await world.session()
    for await (const _ of life(world, id));
    const rich = await spender(store)
    for await (const _ of spending(rich, (await rich.session()).id));
    for (const event of [...(await world.events()), ...(await rich.events())]) {
      Event.parse(event)
      table[event.type].parse(event.data)
    }
  })

  test('a socket and a stream that come back with their last seq miss nothing and see nothing twice', async () => {
    const world = await createWorld({ store })
    const { id } = await world.session()
    const begin = (await world.request('GET', `/api/sessions/${id}`)).headers.get('troupe-seq')!
    await world.say(id, 'One')
    const heard = { socket: await viaSocket(world, id, begin, 3), stream: await viaStream(world, id, begin, 3) }
    await world.restart()
    await world.say(id, 'Two')
    await settleEvents(world.server.core.store)
    const all = await eventsAfter(world, id, begin)
    for (const [name, first] of Object.entries(heard)) {
      const resume = name === 'socket' ? viaSocket : viaStream
      const rest = await resume(world, id, first.at(-1)!.seq, all.length - first.length)
      expect([...first, ...rest].map(({ type, data }) => [type, data])).toEqual(
        all.map(({ type, data }) => [type, data]),
      )
    }
  })
})

async function viaSocket(world: World, session: string, after: string, count: number): Promise<Event[]> {
  const { promise, resolve, reject } = Promise.withResolvers<Event[]>()
  const seen: Event[] = []
  const socket = new WebSocket(`${world.server.url.replace('http', 'ws')}/api/ws`, [
    'troupe.v1',
    `bearer.${world.server.token}`,
  ])
  socket.on('error', reject)
  socket.on('open', () => socket.send(JSON.stringify({ op: 'subscribe', id: 1, session, after })))
  socket.on('message', (frame) => {
    const { event } = JSON.parse(String(frame))
    if (event !== undefined) seen.push(event)
    if (seen.length === count) resolve(seen)
  })
  return promise.finally(() => socket.terminate())
}

async function viaStream(world: World, session: string, after: string, count: number): Promise<Event[]> {
  const stop = new AbortController()
  const response = await fetch(`${world.server.url}/api/events/stream?session=${session}`, {
    headers: { authorization: `Bearer ${world.server.token}`, 'last-event-id': after },
    signal: stop.signal,
  })
  let text = ''
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk
    const frames = text
      .split('\n\n')
      .slice(0, -1)
      .filter((frame) => frame.startsWith('id: ') && !frame.includes('event: seq'))
    if (frames.length < count) continue
    stop.abort()
    return frames.slice(0, count).map((frame) => JSON.parse(frame.slice(frame.indexOf('data: ') + 6)))
  }
  throw new Error('The stream ended early.')
}
