import { describe, expect, test } from 'vitest'
import { cast } from '../kit/cast.ts'
import { storesInTurn } from '../kit/database.ts'
import { memoryText, note, trust } from '../kit/memory.ts'
import { atRest } from '../kit/records.ts'
import {
  boardOf,
  finishRun,
  nodesIn,
  resultsIn,
  runBecomes,
  stage,
  startRun,
  untilTold,
  workNode,
} from '../kit/runs.ts'
import { parts } from '../kit/script.ts'
import { countOf, isFlush, isSummary, plays, readIn, windows } from '../kit/small-window.ts'
import type { Reply, SeenRequest } from '../kit/vendor/reply.ts'
import { createWorld } from '../kit/world.ts'

const noted = { text: 'Noted.' }

const WINDOW = 16_000
const numbers = [1, 2, 3, 4, 5, 6]
const factOf = (number: number): string => `FACT-${number}: ${'abcdef'[number - 1]}${number * 7919}`
const factsIn = (text: string): string[] => [...new Set(text.match(/FACT-\d+: \w+/g) ?? [])]
const filler = (chars: number): string => 'All of this is known already.\n'.repeat(Math.ceil(chars / 30))

/** Reads one topic after the other and ends the run with all that it still knows; what must last it writes to memory. */
function researches(request: SeenRequest): Reply {
  const known = factsIn(readIn(request))
  if (isFlush(request))
    return request.messages.at(-1)?.role === 'tool' ? noted : { calls: [note(`Known so far: ${known.join(', ')}`)] }
  if (request.messages.some(({ calls }) => calls.some(({ name }) => name === 'finish'))) return noted
  const next = numbers.find((number) => !known.includes(factOf(number)))
  if (next === undefined) return { calls: [finishRun(`All of it: ${known.join(', ')}`)] }
  // What a result said is noted at once: old results are cut before the agent is asked what must last.
  return {
    text: `Noted: ${known.at(-1) ?? 'nothing yet'}. ${filler(2500)}`,
    calls: [{ name: 'read_file', input: { path: `topic-${next}.md` } }],
  }
}

describe.each(storesInTurn(import.meta.filename))('what a coordinator knows, on %s,', (store) => {
  test('6: what it wrote to memory in the first run it finds and uses in the second', async () => {
    const world = await createWorld({ store })
    await trust(world)
    const place = (request: SeenRequest): string | undefined => /the key is (below \w+)/.exec(readIn(request))?.[1]
    parts(world, {
      First: [{ calls: [note('In this house the key is below stone7.')] }, { calls: [finishRun('Learned.')] }, noted],
      Second: [
        { calls: [{ name: 'memory_search', input: { query: 'key house' } }] },
        (request) => ({ calls: [workNode(`Look ${place(request) ?? 'everywhere'}`)] }),
        noted,
        untilTold('Look', 'Found.'),
      ],
    })
    await runBecomes(world, await startRun(world, 'First'), 'finished')
    const second = await startRun(world, 'Second')
    await runBecomes(world, second, 'finished')
    expect((await boardOf(world, second)).nodes).toMatchObject([{ title: 'Look below stone7', status: 'finished' }])
    expect(JSON.stringify(await world.results(second.sessionId))).toContain('below stone7')
  })

  test('when a stage is over, and once more when the run is, it is asked what lasts, and may write that to memory', async () => {
    const world = await createWorld({ store })
    await trust(world)
    const asked: string[] = []
    const writes = (lesson: string) => (request: SeenRequest) => {
      asked.push(resultsIn(request).at(-1)!)
      return { calls: [note(lesson)] }
    }
    parts(world, {
      Goal: [
        { calls: [workNode('Piece')] },
        (request) => ({ calls: [stage('Only', nodesIn(request))] }),
        noted,
        { calls: [{ name: 'reconvene', input: { assessment: 'Good.' } }] },
        writes('Stages here are short.'),
        { calls: [finishRun('Done.')] },
        writes('The person likes pages.'),
        noted,
      ],
    })
    const run = await startRun(world, 'Goal')
    await runBecomes(world, run, 'finished')
    await atRest(world)
    expect(asked).toEqual([
      expect.stringContaining('goes into memory now'),
      expect.stringContaining('Write to memory now, once'),
    ])
    const kept = memoryText(world, 'agents/coordinator/MEMORY.md')
    for (const lesson of ['Stages here are short.', 'The person likes pages.']) expect(kept).toContain(lesson)
  })

  test('7: when its history is compacted it writes to memory first, and nothing is forgotten', async () => {
    const topics = numbers.map((number) => [
      `topic-${number}.md`,
      `${filler(4000)}\n${factOf(number)}\n${filler(3000)}`,
    ])
    const world = await createWorld({
      store,
      files: { ...Object.fromEntries(topics), ...cast('ann') },
      settings: { smallModel: 'lab/small' },
      provider: windows({ ann: WINDOW, small: WINDOW }),
    })
    await trust(world)
    plays(world, 'ann', { window: WINDOW, says: researches })
    // The summary has none of it: what is known afterwards is known from memory.
    plays(world, 'small', { window: WINDOW, says: () => ({ text: 'Some topics were read; memory has the facts.' }) })
    const run = await startRun(world, 'Research all topics', { agent: 'ann' })
    const { summary } = await runBecomes(world, run, 'finished')
    for (const number of numbers) expect(summary).toContain(factOf(number))
    const { compactionCount } = await world.look(run.sessionId)
    expect(compactionCount).toBeGreaterThanOrEqual(1)
    // Each compaction costs one result at most, which is read again.
    const reads = (await world.messages(run.sessionId)).flatMap(({ parts: made }) =>
      made.filter((part) => part.type === 'tool-call' && part.name === 'read_file'),
    )
    expect(reads.length).toBeLessThanOrEqual(numbers.length + compactionCount)
    expect(world.vendor.requests.filter(isSummary).length).toBeGreaterThan(0)
    expect(memoryText(world, 'agents/ann/MEMORY.md')).toContain(factOf(1))
    expect(Math.max(...world.vendor.requests.map(countOf))).toBeLessThanOrEqual(WINDOW)
  })
})
