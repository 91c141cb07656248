import type { Cost } from '../../../src/contract/cost.ts'

/** A forecast of less than this share of the day says nothing new. */
const LEAST_LEFT = 0.05

/** What today, the last of the days, will have cost at midnight, if the rest of it goes like the days before; undefined where they say nothing. */
export function forecast(days: readonly Pick<Cost, 'costUsd'>[], now = new Date()): number | undefined {
  const today = days.at(-1)
  const before = days.slice(0, -1).filter(({ costUsd }) => costUsd > 0)
  const midnight = new Date(now).setHours(24, 0, 0, 0)
  const left = (midnight - now.getTime()) / (midnight - new Date(now).setHours(0, 0, 0, 0))
  if (today === undefined || before.length === 0 || left < LEAST_LEFT) return undefined
  return today.costUsd + (left * before.reduce((sum, { costUsd }) => sum + costUsd, 0)) / before.length
}
