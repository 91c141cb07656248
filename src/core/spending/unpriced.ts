import type { Candidates, Models } from '../base/index.ts'

/** Under a limit in money only models with a known price may be asked: the others would never reach the limit. */
export async function affordable(
  models: Pick<Models, 'hasPrice'>,
  maxCostUsd: number | undefined,
  found: Candidates,
): Promise<Candidates> {
  if (maxCostUsd === undefined) return found
  const usable: Candidates['usable'][number][] = []
  const left = [...found.left]
  for (const candidate of found.usable) {
    if (await models.hasPrice(candidate)) usable.push(candidate)
    else left.push({ model: candidate.model, reason: noPrice(candidate.model, maxCostUsd), end: 'limit' })
  }
  return { usable, left }
}

function noPrice(model: string, maxCostUsd: number): string {
  const at = model.indexOf('/')
  const [provider, name] = [model.slice(0, at), model.slice(at + 1)]
  return `The price of ${model} is not known, so ${limit(maxCostUsd)} cannot be kept. Set it in the settings as providers.${provider}.prices: { "${name}": { "input": …, "output": … } }, in USD per million tokens, or remove the limit.`
}

/** For a price found missing only afterwards: that of a child's model, or one that the vendor did not say. */
export const unpricedReason = (maxCostUsd: number, tokens: number): string =>
  `This turn and its children used ${tokens} tokens at a price that is not known, so ${limit(maxCostUsd)} cannot be kept. "troupe cost --by model" shows which model; set its price in the settings (providers.<name>.prices), or remove the limit.`

const limit = (maxCostUsd: number): string => `the limit of ${maxCostUsd} USD in one turn (limits.maxCostUsd)`
