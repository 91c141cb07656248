import { describe, expect, test } from 'vitest'
import type { SessionContext } from '../../src/contract/session-parts.ts'
import type { Why } from '../../src/contract/why.ts'
import { findSession } from '../../src/store/sessions.ts'
import { act, cast } from '../kit/cast.ts'
import { storesInTurn } from '../kit/database.ts'
import { memoryText, note, trust } from '../kit/memory.ts'
import { atRest, texts } from '../kit/records.ts'
import { askPerson } from '../kit/script.ts'
import { isFlush, isSummary, readIn } from '../kit/small-window.ts'
import type { Reply, SeenRequest } from '../kit/vendor/reply.ts'
import { createWorld, type World } from '../kit/world.ts'

const STORY = 'Once upon a time there was a fox. '.repeat(60)
const SUMMARY = 'Goal: stories. State: a fox and a hen were told of.'

const compact = (world: World, session: string, focus?: string) =>
  world.ok('POST', `/api/sessions/${session}/compact`, focus === undefined ? {} : { focus })
const data = async (world: World, session: string, wanted: string) =>
  (await world.events(session)).filter(({ type }) => type === wanted).map((event) => event.data)
const summaries = (world: World): SeenRequest[] => world.vendor.requests.filter(isSummary)
const newest = (world: World): string => readIn(world.vendor.requests.at(-1)!)

/** Tells a story for each word of the person; sums up and writes to memory as it is told. */
function storyteller(world: World, more: { summary?: string; flush?: (request: SeenRequest) => Reply } = {}): void {
  world.vendor.script((request) => {
    if (isSummary(request)) return { text: more.summary ?? SUMMARY, usage: { input: 500, output: 50 } }
    if (isFlush(request)) return more.flush?.(request) ?? { text: 'Nothing.' }
    return { text: `${STORY} ${request.lastUserText.split('\n').at(-1)}` }
  })
}

describe.each(storesInTurn(import.meta.filename))('a compaction that a person asks for, on %s', (store) => {
  test('waits for an open call, keeps what matters to the person, tells the list, goes with a fork and is undone by clear', async () => {
    const world = await createWorld({ store, files: cast({ ann: { tools: { allow: ['ask_human', 'todo_write'] } } }) })
    storyteller(world)
    const { id } = await world.session({ agent: 'ann' })
    for (const word of ['fox', 'hen', 'owl']) await world.say(id, word)
    expect(await world.ok('GET', `/api/sessions/${id}/context`)).toMatchObject({ compactions: 0, summedTo: 0 })
    const todos = [{ content: 'Tell of the cat', status: 'pending', priority: 'medium' }]
    world.vendor.queue({ model: 'ann' }, { calls: [{ name: 'todo_write', input: { todos } }] }, { calls: [askPerson] })
    await world.say(id, 'Now a surprise.')
    const calls = () => world.server.core.store.read.selectFrom('calls').selectAll().orderBy('id').execute()
    const parked = await calls()
    await compact(world, id, 'the colour of the fox')
    expect((await world.ok<Why>('GET', `/api/why/${id}`)).text).toContain('A person asked for a compaction')
    await atRest(world)
    expect(summaries(world)).toEqual([])
    // The parked call is left alone: its row, its question and its place in the log are as they were.
    expect(await calls()).toEqual(parked)
    expect(parked.filter(({ state }) => state === 'parked')).toHaveLength(1)

    const [question] = await world.inbox()
    world.vendor.queue({ model: 'ann' }, { text: 'Then a cat.' })
    // The next request of its model is the summary, since no small model is set: the queue must not answer it.
    await world.ok('PATCH', '/api/settings', { changes: { smallModel: 'lab/small' } })
    await world.ok('POST', `/api/inbox/${question!.id}/answer`, { answer: 'Yes' })
    await atRest(world)
    expect((await world.look(id)).compactionCount).toBe(1)
    expect(readIn(summaries(world)[0]!)).toContain('the colour of the fox')
    expect(readIn(summaries(world)[0]!)).toContain('Once upon a time')
    const [done] = await data(world, id, 'session.compacted')
    expect(done).toMatchObject({ number: 1, summedUp: expect.any(Number) })
    const log = await world.messages(id)
    expect(texts(log, 'user').slice(0, 3)).toEqual(['fox', 'hen', 'owl'])
    expect(texts(log, 'system').join()).toContain('Tell of the cat (pending)')
    expect(newest(world)).toContain(SUMMARY)
    expect(newest(world)).not.toContain(`${STORY} fox`)

    const context = await world.ok<SessionContext>('GET', `/api/sessions/${id}/context`)
    expect(context.parts.map(({ part }) => part)).toContain('summary')
    expect(context).toMatchObject({ compactions: 1, windowKnown: false, window: 32_000, compactsAt: 25_600 })
    expect(context.summedTo).toBeGreaterThan(2)

    const fork = await world.ok<{ id: string }>('POST', `/api/sessions/${id}/fork`)
    await world.say(fork.id, 'Go on here')
    expect(newest(world)).toContain(SUMMARY)
    expect(newest(world)).not.toContain(`${STORY} fox`)
    expect(texts(await world.messages(fork.id), 'user').slice(0, 3)).toEqual(['fox', 'hen', 'owl'])
    const early = await world.ok<{ id: string }>('POST', `/api/sessions/${id}/fork`, { at: 2 })
    await world.say(early.id, 'And here')
    expect(newest(world)).toContain(`${STORY} fox`)
    expect(newest(world)).not.toContain(SUMMARY)

    const cleared = await act(world, id, 'clear')
    expect(cleared.compactionCount).toBe(0)
    await world.say(id, 'Anew')
    expect(newest(world)).not.toContain(SUMMARY)
  })

  test('an idle session is compacted at once, pays for it, makes no other call, and reads the same after a restart', async () => {
    const world = await createWorld({ store, files: cast({ ann: { tools: { allow: ['read_file'] } } }) })
    storyteller(world)
    const { id } = await world.session({ agent: 'ann' })
    for (const word of ['fox', 'hen', 'owl', 'cat']) await world.say(id, word)
    const before = world.vendor.requests.length
    const { tokens } = await world.look(id)
    await world.ok('POST', `/api/sessions/${id}/pause`)
    await compact(world, id)
    expect((await findSession(world.server.core.store.read, id))?.wanted_at).toBeNull()
    await world.ok('POST', `/api/sessions/${id}/resume`)
    await world.eventually(async () => (await world.look(id)).compactionCount === 1)
    await atRest(world)
    // Without memory.write there is nothing but the summary.
    expect(world.vendor.requests.slice(before).map(isSummary)).toEqual([true])
    const after = await world.look(id)
    expect(after).toMatchObject({ status: 'idle', compactionCount: 1 })
    expect(after.tokens.input - tokens.input).toBe(500)
    expect(await data(world, id, 'model.settled')).toMatchObject([{ outcome: 'compaction', tokens: { input: 500 } }])
    const rows = await world.server.core.store.read.selectFrom('requests').selectAll().execute()
    expect(rows.filter(({ outcome }) => outcome === 'compaction')).toHaveLength(1)

    await world.say(id, 'dog')
    const first = newest(world)
    await world.restart()
    await world.say(id, 'cow')
    expect(newest(world).startsWith(first)).toBe(true)
    // A person edits what was summed up: the summary no longer counts, and the model reads the log again.
    const [fox] = await world.messages(id)
    await world.ok('PATCH', `/api/sessions/${id}/messages/${fox!.id}`, { text: 'a red fox' })
    await world.say(id, 'pig')
    expect(newest(world)).toContain('a red fox')
    expect(newest(world)).not.toContain(SUMMARY)
  })
})

test('a summary that is empty, or no shorter than what it stands for, leaves everything as it was and says so', async () => {
  const world = await createWorld({ files: cast('ann'), settings: { smallModel: 'lab/small' } })
  const { id } = await world.session({ agent: 'ann' })
  for (const word of ['fox', 'hen', 'owl', 'cat']) await world.say(id, word)
  world.vendor.queue(
    { model: 'small' },
    { calls: [{ name: 'sum_up', input: {} }] },
    { text: 'Very long. '.repeat(2000) },
  )
  for (const _ of [1, 2]) {
    await compact(world, id)
    await atRest(world)
  }
  await world.say(id, 'dog')
  expect(newest(world)).toContain('fox')
  expect(await world.look(id)).toMatchObject({ status: 'idle', compactionCount: 0 })
  const reasons = (await data(world, id, 'compaction.failed')).map(({ reason }) => reason)
  expect(reasons).toEqual([expect.stringContaining('wrote nothing'), expect.stringContaining('not shorter')])
})

test('before the summary the agent writes to memory, with memory tools alone: three calls, nobody is asked, no mail is taken', async () => {
  const world = await createWorld({ files: cast('ann') })
  await trust(world)
  const rounds = [
    [note('Foxes are red.'), note('For everybody.', { scope: 'user' })],
    [note('Third.'), note('Fourth.'), { name: 'bash', input: { command: 'touch gone' } }],
  ]
  storyteller(world, { flush: () => ({ calls: rounds.shift() ?? [] }) })
  const { id } = await world.session({ agent: 'ann' })
  for (const word of ['fox', 'hen', 'owl']) await world.say(id, word)
  await compact(world, id)
  await atRest(world)
  const flushes = world.vendor.requests.filter(isFlush)
  expect(flushes).toHaveLength(2)
  const heard = flushes[1]!.messages.flatMap(({ results }) => results.map(({ text }) => text)).slice(-2)
  expect(heard).toEqual([
    expect.stringContaining('agent/MEMORY.md'),
    expect.stringContaining('Nobody is there to approve'),
  ])
  expect(flushes[0]!.tools.toSorted()).toEqual(['memory_read', 'memory_search', 'memory_write'])
  expect(memoryText(world, 'agents/ann/MEMORY.md')).toBe('Foxes are red.\nThird.\n')
  expect(await world.inbox()).toEqual([])
  expect((await world.look(id)).compactionCount).toBe(1)
  // The prompt was made anew, with what was just written.
  await world.say(id, 'cow')
  expect(world.vendor.requests.at(-1)!.system).toContain('Foxes are red.')

  // A hook would have to be heard before each write: nothing is written meanwhile.
  await world.ok('PATCH', '/api/settings', {
    changes: { 'hooks.beforeTool': [{ command: 'exit 2', match: ['memory_write'] }] },
  })
  await compact(world, id)
  await atRest(world)
  expect(world.vendor.requests.filter(isFlush)).toHaveLength(2)
  expect((await world.look(id)).compactionCount).toBe(2)
})
