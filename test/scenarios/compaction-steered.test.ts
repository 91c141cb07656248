import { expect, test } from 'vitest'
import type { Why } from '../../src/contract/why.ts'
import { act, cast } from '../kit/cast.ts'
import { putFile } from '../kit/files.ts'
import { atRest, texts } from '../kit/records.ts'
import { countOf, isSummary, readIn, windows } from '../kit/small-window.ts'
import type { Reply, SeenRequest } from '../kit/vendor/reply.ts'
import { createWorld, type World } from '../kit/world.ts'

const STORY = 'Once upon a time there was a fox. '.repeat(60)
const SUMMARY = 'Goal: stories. State: a fox was told of.'
const only = { tools: { allow: ['read_file'] } }
const never = (): Reply => ({ text: SUMMARY, hang: true })

const compact = (world: World, session: string) => world.ok('POST', `/api/sessions/${session}/compact`)
const why = async (world: World, session: string) => (await world.ok<Why>('GET', `/api/why/${session}`)).text
const summaries = (world: World): SeenRequest[] => world.vendor.requests.filter(isSummary)
const newest = (world: World): string => readIn(world.vendor.requests.at(-1)!)
const sumsUp = (world: World, times: number) => world.eventually(async () => summaries(world).length === times)
const settled = async (world: World, session: string) =>
  (await world.events(session)).filter(({ type }) => type === 'model.settled').map(({ data }) => data.outcome)

/** A session that has heard stories, and a small model for summaries. */
async function heardStories(world: World): Promise<string> {
  world.vendor.script(
    (request) => ({
      text: `${STORY} ${request.lastUserText.split('\n').at(-1)}`,
      usage: { input: countOf(request), output: 500 },
    }),
    { model: 'ann' },
  )
  world.vendor.script(() => ({ text: SUMMARY }), { model: 'small' })
  const { id } = await world.session({ agent: 'ann' })
  for (const word of ['fox', 'hen', 'owl', 'cat']) await world.say(id, word)
  return id
}

test('a compaction that a person stops leaves the history as it was, is paid for, and does not come back', async () => {
  const world = await createWorld({ files: cast({ ann: only }), settings: { smallModel: 'lab/small' } })
  const id = await heardStories(world)
  world.vendor.queue({ model: 'small' }, never())
  await compact(world, id)
  await sumsUp(world, 1)
  expect(await why(world, id)).toMatch(/compacts its history.*a person asked for it/s)
  await act(world, id, 'cancel')
  await atRest(world)
  expect(await why(world, id)).not.toContain('compact')
  expect(await settled(world, id)).toEqual(['aborted'])

  expect(await world.say(id, 'dog')).toMatchObject({ end: 'done' })
  expect(newest(world)).toContain(`${STORY} fox`)
  expect(await world.look(id)).toMatchObject({ compactionCount: 0, status: 'idle' })
  expect(summaries(world)).toHaveLength(1)
})

test('who interrupts a compaction is answered first, and then it is done', async () => {
  const world = await createWorld({ files: cast({ ann: only }), settings: { smallModel: 'lab/small' } })
  const id = await heardStories(world)
  world.vendor.queue({ model: 'small' }, never())
  await compact(world, id)
  await sumsUp(world, 1)
  await world.say(id, 'dog', { interrupt: true })
  await atRest(world)
  const order = world.vendor.requests.slice(4).map((request) => (isSummary(request) ? 'sums up' : request.model))
  expect(order).toEqual(['sums up', 'ann', 'sums up'])
  expect(await world.look(id)).toMatchObject({ compactionCount: 1, status: 'idle' })
  expect(texts(await world.messages(id), 'user')).toEqual(['fox', 'hen', 'owl', 'cat', 'dog'])

  // Where the window is full there is no answer before the compaction: the interrupt is read behind it.
  await world.ok('PATCH', '/api/settings', {
    changes: { 'providers.lab.prices': { ann: { contextWindow: 6000 }, small: { contextWindow: 6000 } } },
  })
  world.vendor.queue({ model: 'small' }, never())
  const filled = await world.send(id, `${STORY.repeat(4)} pig`)
  await sumsUp(world, 3)
  expect(await why(world, id)).toMatch(/compacts its history.*window is nearly full/s)
  expect(await world.say(id, 'cow', { interrupt: true })).toMatchObject({ reply: `${STORY} cow` })
  expect(await world.settled(filled.mailId)).toMatchObject({ ended: true, end: 'done' })
  expect(await world.look(id)).toMatchObject({ compactionCount: 2, status: 'idle' })
  expect(newest(world)).toContain(SUMMARY)
})

test('a long history is summed up piece by piece, each with the summary so far, and smaller ones where they are refused', async () => {
  const world = await createWorld({
    files: cast({ ann: only }),
    settings: { smallModel: 'lab/small' },
    provider: windows({ ann: 30_000, small: 7000 }),
  })
  const id = await heardStories(world)
  for (const word of ['dog', 'cow']) await world.say(id, word)
  let asked = 0
  world.vendor.script(() => ({ text: `State: part ${++asked}.` }), { model: 'small' })
  world.vendor.queue({ model: 'small' }, { error: { kind: 'context' } })
  await compact(world, id)
  await atRest(world)

  const [refused, ...parts] = summaries(world).map(readIn)
  expect(parts.length).toBeGreaterThan(2)
  expect(parts.length).toBeLessThan(8)
  expect(parts[0]!.length).toBeLessThan(refused!.length * 0.75)
  expect(parts[0]).not.toContain('<summary>\n')
  for (const [at, part] of parts.slice(1).entries()) expect(part).toContain(`<summary>\nState: part ${at + 1}.`)
  const told = parts.flatMap((part) => part.match(/fox\. +(fox|hen|owl|cat|dog|cow)$/gm) ?? [])
  expect(told.slice(0, 3)).toEqual(['fox.  fox', 'fox.  hen', 'fox.  owl'])
  expect(new Set(told).size).toBe(told.length)
  await world.say(id, 'pig')
  expect(newest(world)).toContain(`State: part ${parts.length}.`)
  expect(newest(world)).not.toContain(`${STORY} fox`)
})

test('a session whose model plays a recording is not compacted, and whoever asks is told why', async () => {
  const world = await createWorld({ files: cast({ ann: only }) })
  world.vendor.queue({ model: 'ann' }, { text: 'One.' })
  const { id } = await world.session({ agent: 'ann' })
  await world.say(id, 'Say one')
  const { text } = await world.call('GET', `/api/sessions/${id}/recording`)
  putFile(`${world.project}/.troupe/recordings/talk.jsonl`, text)
  const played = await world.session({ agent: 'ann', model: 'replay/talk' })
  expect(await world.request('POST', `/api/sessions/${played.id}/compact`)).toMatchObject({
    status: 409,
    body: { error: { code: 'session.state', hint: expect.stringContaining('plays a recording') } },
  })
  expect(await world.say(played.id, 'Say one')).toMatchObject({ end: 'done', reply: 'One.' })
})
