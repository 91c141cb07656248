import type { Cost, CostBy } from '../../../src/contract/cost.ts'
import { now } from '../live/clock.ts'
import { type Live, type Resource, stale, useLive } from '../live/resource.ts'
import { server } from '../live/server.ts'
import { spaced } from '../live/spaced.ts'
import { dayOf } from '../parts/figures.tsx'

/** What was spent since a day, by day, agent or model, over all projects. */
export function useCosts(by: CostBy, since: string): Live<readonly Cost[]> {
  return useLive(costs(by, since))
}

const costs = (by: CostBy, since: string): Resource<readonly Cost[]> => ({
  key: `cost ${by} ${since}`,
  read: spaced(2000, async () => {
    const { value, seq } = await server.snapshot('GET /api/cost', { query: { by, since } })
    return { value: value.items, seq }
  }),
  interest: { types: ['turn.ended', 'model.settled'] },
  fold: () => stale,
})

/** The name of a day as the server counts it, so many days ago. */
export function day(ago = 0): string {
  const date = new Date(now())
  date.setDate(date.getDate() - ago)
  const two = (part: number): string => String(part).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

/** One row for each of the last days, the oldest first; on some nothing was spent. */
export function everyDay(rows: readonly Cost[], days: number): readonly Cost[] {
  const found = new Map(rows.map((row) => [row.key, row]))
  return Array.from({ length: days }, (_, at) => {
    const key = day(days - 1 - at)
    return found.get(key) ?? { ...nothing, key }
  })
}

const nothing: Omit<Cost, 'key'> = {
  messages: 0,
  tokens: { input: 0, output: 0, cached: 0, reasoning: 0 },
  costUsd: 0,
  unpricedTokens: 0,
}

/** All rows as one. */
export const sum = (rows: readonly Cost[]): Omit<Cost, 'key'> =>
  rows.reduce<Omit<Cost, 'key'>>(
    (all, { messages, tokens, costUsd, unpricedTokens }) => ({
      messages: all.messages + messages,
      tokens: {
        input: all.tokens.input + tokens.input,
        output: all.tokens.output + tokens.output,
        cached: all.tokens.cached + tokens.cached,
        reasoning: all.tokens.reasoning + tokens.reasoning,
      },
      costUsd: all.costUsd + costUsd,
      unpricedTokens: all.unpricedTokens + unpricedTokens,
    }),
    nothing,
  )

/** `2026-11-03` as `3 Nov`. */
export const dayName = (key: string): string => (key === day() ? 'today' : dayOf(`${key}T12:00:00`))
