import { expect, test } from 'vitest'
import { cast } from '../kit/cast.ts'
import { atRest } from '../kit/records.ts'
import { countOf, isFlush, isSummary, plays, readIn, windows } from '../kit/small-window.ts'
import { createWorld, type World } from '../kit/world.ts'

const TEXT = 'It is said that all is well in the end.\n'
const long = (chars: number): string => TEXT.repeat(Math.ceil(chars / TEXT.length))
const ends = async (world: World, session: string) =>
  (await world.events(session)).filter(({ type }) => type === 'turn.ended').map(({ data }) => String(data.reason))
const only = { tools: { allow: ['read_file'] } }
const asked = (world: World): number => world.vendor.requests.length

test('a prompt that cannot fit stops the turn, without a request, and names what is too large', async () => {
  const prose = { '../home/agents/ann/AGENT.md': long(60_000) }
  const world = await createWorld({
    files: { ...cast({ ann: only, ben: only }), ...prose },
    provider: windows({ ann: 9000, ben: 6000 }),
  })
  const ann = await world.session({ agent: 'ann' })
  expect(await world.say(ann.id, 'Hello')).toMatchObject({ end: 'limit' })
  const [ofPrompt = ''] = await ends(world, ann.id)
  expect(ofPrompt).toMatch(/The cause is the system prompt: .* "troupe sessions model"/)
  expect(ofPrompt).toMatch(/the system prompt about 2\d{4}, /)
  expect(asked(world)).toBe(0)

  plays(world, 'ben', { window: 6000, says: () => ({ text: 'Hello.' }) })
  const ben = await world.session({ agent: 'ben' })
  await world.say(ben.id, 'Hello')
  await world.say(ben.id, long(40_000))
  expect((await ends(world, ben.id)).at(-1)).toMatch(/The cause is message 3 \(user\): delete or shorten it/)
  expect(asked(world)).toBe(1)
  // Once the cause is gone the session goes on.
  await world.ok('DELETE', `/api/sessions/${ben.id}/messages/msg_${ben.id}_3`)
  expect(await world.say(ben.id, 'Short now')).toMatchObject({ end: 'done' })
})

test('what the vendor refuses as too long is compacted once; refused again, the turn ends with the cause', async () => {
  const world = await createWorld({ files: cast({ ann: only }), settings: { smallModel: 'lab/small' } })
  plays(world, 'ann', { window: 6000, says: () => ({ text: long(8000), usage: { input: 10 } }) })
  world.vendor.script(() => ({ text: 'State: all is well.' }), { model: 'small' })
  const { id } = await world.session({ agent: 'ann' })
  for (const word of ['one', 'two', 'three']) expect(await world.say(id, word)).toMatchObject({ end: 'done' })
  expect(await world.say(id, 'four')).toMatchObject({ end: 'done' })
  expect((await world.look(id)).compactionCount).toBe(1)
  expect(world.vendor.requests.filter(isSummary)).toHaveLength(1)

  world.vendor.script(() => ({ error: { kind: 'context' } }), { model: 'ann' })
  const before = asked(world)
  expect(await world.say(id, 'five')).toMatchObject({ end: 'error' })
  expect((await ends(world, id)).at(-1)).toContain('The cause is')
  expect(asked(world) - before).toBeLessThanOrEqual(3)
})

test('a model with a smaller window has the history compacted at its next call', async () => {
  const world = await createWorld({ files: cast({ ann: only }), provider: windows({ ann: 200_000, small: 12_000 }) })
  for (const model of ['ann', 'small'])
    plays(world, model, {
      window: model === 'ann' ? 200_000 : 12_000,
      says: (request) => (isSummary(request) ? { text: 'State: so far so good.' } : { text: long(8000) }),
    })
  const { id } = await world.session({ agent: 'ann' })
  for (let turn = 0; turn < 8; turn++) await world.say(id, `Turn ${turn}`)
  expect((await world.look(id)).compactionCount).toBe(0)
  await world.ok('PATCH', `/api/sessions/${id}`, { model: 'lab/small' })
  expect(await world.say(id, 'And now?')).toMatchObject({ end: 'done' })
  expect((await world.look(id)).compactionCount).toBe(1)
  expect(readIn(world.vendor.requests.at(-1)!)).toContain('so far so good')
})

test('old results are cut first, and where that is enough nothing is asked and nothing else changes', async () => {
  const big = [1, 2, 3, 4, 5].map((number) => [`big-${number}.txt`, `${number} ${long(9000)}`])
  const files = { ...cast({ ann: only }), ...Object.fromEntries(big) }
  const world = await createWorld({ files, provider: windows({ ann: 12_000 }) })
  let reads = 0
  plays(world, 'ann', {
    window: 12_000,
    says: () =>
      reads++ < 5 ? { calls: [{ name: 'read_file', input: { path: `big-${reads}.txt` } }] } : { text: 'Read.' },
  })
  const { id } = await world.session({ agent: 'ann' })
  expect(await world.say(id, 'Read all five')).toMatchObject({ end: 'done' })
  const [first] = (await world.events(id)).filter(({ type }) => type === 'session.compacted')
  expect(first?.data).toMatchObject({ summedUp: 0, fromSeq: 1 })
  expect(world.vendor.requests.filter((request) => isSummary(request) || isFlush(request))).toEqual([])
  expect(readIn(world.vendor.requests.at(-1)!)).toContain('more characters of this result are no longer shown')
  expect((await world.results(id)).every((text) => String(text).length > 8000)).toBe(true)
})

test('results of the newest step are cut when they would not fit together, and the turn goes on', async () => {
  const names = [1, 2, 3, 4, 5, 6].map((number) => `big-${number}.txt`)
  const files = { ...cast({ ann: only }), ...Object.fromEntries(names.map((name) => [name, `${name} ${long(9000)}`])) }
  const world = await createWorld({ files, provider: windows({ ann: 12_000 }) })
  let steps = 0
  plays(world, 'ann', {
    window: 12_000,
    says: () =>
      steps++ === 0 ? { calls: names.map((path) => ({ name: 'read_file', input: { path } })) } : { text: 'Read.' },
  })
  const { id } = await world.session({ agent: 'ann' })
  expect(await world.say(id, 'Read all six at once')).toMatchObject({ end: 'done' })
  expect(readIn(world.vendor.requests.at(-1)!)).toContain('more characters of this result are no longer shown')
  expect(Math.max(...world.vendor.requests.map(countOf))).toBeLessThanOrEqual(12_000)
})

test('a compaction that the money is not enough for leaves the history as it was, and the turn waits as for any request', async () => {
  const prices = { ann: { contextWindow: 12_000, input: 100, output: 100 }, small: { input: 1000, output: 1000 } }
  const world = await createWorld({
    files: cast({ ann: { ...only, maxOutputTokens: 600 } }),
    settings: { smallModel: 'lab/small', limits: { dailyCostUsd: 2 } },
    provider: { prices },
  })
  plays(world, 'ann', { window: 12_000, says: () => ({ text: long(7000), usage: { input: 10, output: 10 } }) })
  const { id } = await world.session({ agent: 'ann' })
  for (let turn = 0; turn < 4; turn++) await world.say(id, `Turn ${turn}`)
  await world.ok('POST', `/api/sessions/${id}/compact`)
  await atRest(world)
  const failed = (await world.events(id)).filter(({ type }) => type === 'compaction.failed')
  expect(failed.map(({ data }) => data.reason)).toEqual([expect.stringContaining('no money')])
  expect(await world.look(id)).toMatchObject({ compactionCount: 0, status: 'idle' })
  expect(world.vendor.requests.filter(isSummary)).toEqual([])
  expect(await world.server.core.store.read.selectFrom('reservations').selectAll().execute()).toEqual([])
})

test('a history is not compacted again before it has grown, and no prompt is larger than the window', async () => {
  const world = await createWorld({
    files: cast({ ann: only }),
    settings: { smallModel: 'lab/small' },
    provider: windows({ ann: 10_000 }),
  })
  plays(world, 'ann', { window: 10_000, says: () => ({ text: long(4500) }) })
  world.vendor.script(() => ({ text: long(2000) }), { model: 'small' })
  const { id } = await world.session({ agent: 'ann' })
  for (let turn = 0; turn < 16; turn++) expect(await world.say(id, `Turn ${turn}`)).toMatchObject({ end: 'done' })
  const { compactionCount } = await world.look(id)
  expect(compactionCount).toBeGreaterThan(1)
  expect(compactionCount).toBeLessThan(8)
  expect(Math.max(...world.vendor.requests.map(countOf))).toBeLessThanOrEqual(10_000)
})
