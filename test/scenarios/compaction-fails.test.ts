import { expect, test } from 'vitest'
import { insertMessages, toRow } from '../../src/store/messages.ts'
import { updateSession } from '../../src/store/sessions.ts'
import { cast } from '../kit/cast.ts'
import { trust } from '../kit/memory.ts'
import { isFlush, isSummary, readIn } from '../kit/small-window.ts'
import type { Reply } from '../kit/vendor/reply.ts'
import { createWorld, type World } from '../kit/world.ts'

const STEPS = 4
const SENTENCE = 'It is said that all is well in the end. '

/** Gives a session a log, as if it had been spoken. */
async function remembers(world: World, id: string, messages: number, text: string): Promise<void> {
  const rows = Array.from({ length: messages }, (_, at) => {
    const parts = [{ type: 'text' as const, text: `${at} ${text}` }]
    const person = { role: 'user' as const, from: { kind: 'human' as const } }
    return toRow(id, at + 1, { parts, ...(at % 2 === 0 ? person : { role: 'assistant', model: 'lab/ann' }) }, 1)
  })
  await world.server.core.store.write(async (db) => {
    for (let at = 0; at < rows.length; at += 500) await insertMessages(db, rows.slice(at, at + 500))
    await updateSession(db, id, { next_seq: rows.length + 1, message_count: rows.length })
  })
}

const told = async (world: World, id: string, wanted: string) =>
  (await world.events(id)).filter(({ type }) => type === wanted).map(({ data }) => data)

const refusals: [string, Reply, RegExp][] = [
  ['refuses to sum up', { error: { kind: 'policy' } }, /declined to answer/],
  ['does not understand', { error: { kind: 'bad-request' } }, /refused the request/],
  ['answers with calls', { calls: [{ name: 'read_file', input: { path: 'a.txt' } }] }, /wrote nothing/],
]

test.each(refusals)(
  'a history that the vendor %s stays as it was, and is not tried again before it has grown',
  async (_, reply, reason) => {
    const files = { ...cast({ ann: { tools: { allow: ['read_file'] } } }), 'a.txt': 'x' }
    const world = await createWorld({ files })
    let steps = 0
    const work = [{ name: 'read_file', input: { path: 'a.txt' } }]
    const usage = { input: 0, output: 0 }
    world.vendor.script((request) => {
      if (isSummary(request)) return reply
      return steps++ % STEPS === STEPS - 1 ? { text: 'Done.', usage } : { calls: work, usage }
    })
    const { id } = await world.session({ agent: 'ann' })
    await remembers(world, id, 1000, SENTENCE.repeat(2))

    for (const word of ['one', 'two']) expect(await world.say(id, word)).toMatchObject({ end: 'done', reply: 'Done.' })
    expect(await told(world, id, 'compaction.failed')).toMatchObject([{ reason: expect.stringMatching(reason) }])
    expect(await told(world, id, 'compaction.started')).toHaveLength(1)
    expect(readIn(world.vendor.requests.at(-1)!)).toContain(`0 ${SENTENCE}`)
    expect(await world.look(id)).toMatchObject({ compactionCount: 0, status: 'idle' })

    await world.say(id, SENTENCE.repeat(500))
    expect(await told(world, id, 'compaction.started')).toHaveLength(2)
  },
)

test('of a summary that is longer than a tenth of the window the beginning is kept', async () => {
  const world = await createWorld({ files: cast({ ann: { tools: { allow: ['read_file'] } } }) })
  world.vendor.script((request) => (isSummary(request) ? { text: 'S'.repeat(50_000), chunks: 1 } : { text: 'Yes.' }))
  const { id } = await world.session({ agent: 'ann' })
  await remembers(world, id, 1000, SENTENCE.repeat(2))
  expect(await world.say(id, 'Are you there?')).toMatchObject({ end: 'done', reply: 'Yes.' })
  expect(await world.look(id)).toMatchObject({ compactionCount: 1 })
  // 3,200 tokens of three characters.
  expect(/S{9}S*/.exec(readIn(world.vendor.requests.at(-1)!))?.[0]).toHaveLength(9600)
})

// What takes a time that grows with the square of the log would not end within the patience of the kit.
test('a log of twenty thousand messages is written to memory and summed up within one turn', async () => {
  const world = await createWorld({ files: cast('ann') })
  await trust(world)
  world.vendor.script((request) => ({ text: isSummary(request) ? 'State: all is well.' : 'Yes.' }))
  const { id } = await world.session({ agent: 'ann' })
  await remembers(world, id, 20_000, '')
  expect(await world.say(id, 'Are you there?')).toMatchObject({ end: 'done', reply: 'Yes.' })
  expect(await world.look(id)).toMatchObject({ compactionCount: 1 })
  expect(world.vendor.requests.filter(isFlush)).toHaveLength(1)
  expect(readIn(world.vendor.requests.at(-1)!)).toContain('State: all is well.')
})
