import { describe, expect, test } from 'vitest'
import { cast } from '../kit/cast.ts'
import { storesInTurn } from '../kit/database.ts'
import { countOf, isFlush, isSummary, plays, readIn, windows } from '../kit/small-window.ts'
import type { SeenRequest } from '../kit/vendor/reply.ts'
import { createWorld } from '../kit/world.ts'

const WINDOW = 12_000
const TOPICS = 10
const numbers = Array.from({ length: TOPICS }, (_, at) => at + 1)
const factOf = (number: number): string => `FACT-${number}: ${'abcdefghij'[number - 1]}${number * 7919}`
const filler = (chars: number): string => 'All of this is known already.\n'.repeat(Math.ceil(chars / 30))
const factsIn = (text: string): string[] => [...new Set(text.match(/FACT-\d+: \w+/g) ?? [])]

/** Reads one topic after the other, notes what it found, and ends with all that it still knows. */
function research(request: SeenRequest) {
  if (isFlush(request)) return { text: 'Nothing.' }
  const known = factsIn(readIn(request))
  const next = numbers.find((number) => !known.includes(factOf(number)))
  const noted = known.at(-1) ?? 'nothing yet'
  if (next === undefined) return { text: `All of it: ${known.join(', ')}` }
  return {
    text: `Noted: ${noted}. ${filler(2500)}`,
    calls: [{ name: 'read_file', input: { path: `topic-${next}.md` } }],
  }
}

const prefixOf = ({ system, messages, body }: SeenRequest): string =>
  `${system}${JSON.stringify(body.tools)}${JSON.stringify(messages).slice(0, -1)}`

describe.each(storesInTurn(import.meta.filename))('on %s', (store) => {
  test('ten topics are researched in a small window, and all ten are in the answer', async () => {
    const files = Object.fromEntries(
      numbers.map((number) => [`topic-${number}.md`, `${filler(4000)}\n${factOf(number)}\n${filler(3000)}`]),
    )
    const world = await createWorld({
      store,
      files: { ...files, ...cast({ ann: { tools: { allow: ['read_file'] } } }) },
      settings: { smallModel: 'lab/small' },
      provider: windows({ ann: WINDOW, small: WINDOW }),
    })
    plays(world, 'ann', { window: WINDOW, says: research })
    plays(world, 'small', {
      window: WINDOW,
      says: (request) => ({ text: `State:\n${factsIn(readIn(request)).join('\n')}` }),
    })

    const ann = await world.session({ agent: 'ann' })
    const { reply, end } = await world.say(ann.id, 'Research all ten topics.')
    expect(end).toBe('done')
    for (const number of numbers) expect(reply).toContain(factOf(number))

    const session = await world.look(ann.id)
    expect(session.compactionCount).toBeGreaterThanOrEqual(2)
    expect(Math.max(...world.vendor.requests.map(countOf))).toBeLessThanOrEqual(WINDOW)
    expect(world.vendor.requests.filter(isSummary).length).toBeGreaterThan(0)
    // Between two compactions what was read before is read again, to the letter.
    const steps = world.vendor.requests.filter(({ model }) => model === 'ann').map(prefixOf)
    const anew = steps.filter((step, at) => at > 0 && !step.startsWith(steps[at - 1]!)).length
    expect(anew).toBe(session.compactionCount)
    // The log is whole: every result is there as it came.
    const results = (await world.results(ann.id)).map(String)
    expect(results.filter((text) => text.length > 7000).length).toBeGreaterThanOrEqual(TOPICS)
  })
})
