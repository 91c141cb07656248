import type { Candidate, Candidates, Models, Quote } from '../base/index.ts'
import type { Limits } from './applicable.ts'

/** The candidates whose price is known, and what requests to each would cost. */
interface Priced extends Candidates {
  readonly quotes: ReadonlyMap<Candidate, Quote>
}

/** Under a limit in money only models with a known price may be asked: the others would never reach the limit. */
export async function affordable(models: Pick<Models, 'quote'>, limits: Limits, found: Candidates): Promise<Priced> {
  const quotes = new Map<Candidate, Quote>()
  const left = [...found.left]
  for (const candidate of found.usable) {
    const quote = await models.quote(candidate)
    if (quote !== undefined) quotes.set(candidate, quote)
    else left.push({ model: candidate.model, reason: noPrice(candidate.model, limits), end: 'limit' })
  }
  return { usable: [...quotes.keys()], left, quotes }
}

function noPrice(model: string, limits: Limits): string {
  const at = model.indexOf('/')
  const [provider, name] = [model.slice(0, at), model.slice(at + 1)]
  return `The price of ${model} is not known, so ${limitIn(limits)} cannot be kept. Set it in the settings as providers.${provider}.prices: { "${name}": { "input": …, "output": … } }, in USD per million tokens, or remove the limit.`
}

/** For a price found missing only afterwards: that of a child's model, or one that the vendor did not say. */
export const unpricedReason = (maxCostUsd: number, tokens: number): string =>
  `This turn and its children used ${tokens} tokens at a price that is not known, so ${ofTurn(maxCostUsd)} cannot be kept. "troupe cost --by model" shows which model; set its price in the settings (providers.<name>.prices), or remove the limit.`

const ofTurn = (maxCostUsd: number): string => `the limit of ${maxCostUsd} USD in one turn (limits.maxCostUsd)`

function limitIn({ turnUsd, agentDayUsd, dayUsd }: Limits): string {
  if (turnUsd !== undefined) return ofTurn(turnUsd)
  if (agentDayUsd !== undefined) return `the limit of ${agentDayUsd} USD a day for this agent (limits.dailyCostUsd)`
  if (dayUsd !== undefined) return `the limit of ${dayUsd} USD a day (limits.dailyCostUsd)`
  return 'the budget of whoever gave this work'
}
