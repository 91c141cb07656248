import type { Message } from '../../../contract/messages.ts'
import { tokensIn, weightOf } from '../../sessions/index.ts'
import type { Turn } from '../turn.ts'

/** For a model whose window nobody knows. */
export const ASSUMED_WINDOW = 32_000

type Prompting = Pick<Turn, 'history' | 'schemas'> & { readonly setup: Pick<Turn['setup'], 'prompt'> }

/** How many tokens the next request has the model read: what the vendor counted last, and what is new since. */
export function promptTokens(turn: Prompting, appended: readonly Message[] = []): number {
  const { counted, weight } = turn.history
  const fresh = weightOfAll(appended)
  if (counted !== undefined) return counted.tokens + tokensIn(weight - counted.weight + fresh)
  const { prompt, tools } = fixedTokens(turn)
  return prompt + tools + tokensIn(weight + fresh)
}

export const weightOfAll = (messages: readonly Message[]): number =>
  messages.reduce((sum, message) => sum + weightOf(message), 0)

/** What every request carries beside the history. */
export const fixedTokens = ({ setup, schemas }: Omit<Prompting, 'history'>) => ({
  prompt: tokensIn(Buffer.byteLength(setup.prompt)),
  tools: tokensIn(Buffer.byteLength(JSON.stringify(schemas))),
})

/** The tokens of all messages from a place on. */
export function tokensFrom(messages: readonly Message[]): (from: number) => number {
  const sums = [0]
  for (const message of messages.toReversed()) sums.push((sums.at(-1) ?? 0) + tokensIn(weightOf(message)))
  return (from) => sums[messages.length - from] ?? 0
}

const LONGEST = 4000
const SHORTEST = 300

/** How many tokens a summary may take of a window. */
export const summaryTokens = (window: number): number => Math.max(SHORTEST, Math.min(LONGEST, Math.floor(window / 10)))
