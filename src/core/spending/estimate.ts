import type { Message } from '../../contract/messages.ts'
import type { ToolSchema } from '../base/index.ts'

/** Bytes of a token: so few that the estimate is rather too high than too low. */
const BYTES = 3

/** What a model reads. */
interface Input {
  readonly system: string
  readonly tools: readonly ToolSchema[]
  readonly history: readonly Message[]
}

/**
 * How many tokens a request will have the model read: what the vendor counted last, with the answer it gave, and what is new
 * since. Before the first answer all of it is new.
 */
export function estimateInput({ system, tools, history }: Input): number {
  const last = history.findLastIndex(({ tokens, deletedAt }) => tokens !== undefined && deletedAt === undefined)
  const fresh = history.slice(last + 1).reduce((sum, { parts }) => sum + sizeOf(parts) + OVERHEAD, 0)
  const counted = history[last]?.tokens
  if (counted !== undefined && counted.input > 0) return counted.input + counted.output + inTokens(fresh)
  const before = history.slice(0, last + 1).reduce((sum, { parts }) => sum + sizeOf(parts) + OVERHEAD, 0)
  return inTokens(Buffer.byteLength(system) + sizeOf(tools) + before + fresh)
}

/** What a message has around its text: who wrote it, and the marks of the vendor. */
const OVERHEAD = 60

const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

const inTokens = (bytes: number): number => Math.ceil(bytes / BYTES)
