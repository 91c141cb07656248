import type { ToolSchema } from '../../src/core/base/runtime.ts'

export type VariantName = 'raw' | 'doStream' | 'ours' | 'http'

/** What one process is asked to do. */
export interface Job {
  readonly variant: VariantName
  /** Names this process in what it says to the vendor. */
  readonly run: string
  /** The vendor's base URL. */
  readonly vendor: string
  /** A folder of its own. */
  readonly folder: string
  /** What ours sends in each request besides the conversation, so that the floors send the same. */
  readonly system: string
  readonly tools: readonly ToolSchema[]
  readonly load: Load
}

export interface Load {
  /** Conversations at once, and model calls in each: every call but the last asks for one tool call. */
  readonly talks: number
  readonly calls: number
  /** How many conversations of WARM_CALLS run one after the other before the clock starts. */
  readonly warm: number
  /** How long the vendor takes to answer. */
  readonly delay: number
  /**
   * How many messages each conversation has when it is opened. With it, the first turn of each is measured apart, one
   * conversation after the other.
   */
  readonly seed?: number
}

export interface Cost {
  readonly cpuMs: number
  readonly wallMs: number
}

export interface Result extends Cost {
  /** Of each conversation: loading its seeded history and making one call. The first also compiles what that takes. */
  readonly first?: readonly Cost[]
  /** What the database grew by. */
  readonly bytes: number
  readonly rssMB: number
  readonly peakMB: number
  /** The system prompt that ours sends in each request. */
  readonly system?: string
}

/** Something that holds conversations with the vendor and keeps every message on disk. */
export interface Variant {
  /** Makes the conversation, with this history, on disk only. */
  open(talk: string, history: readonly Seed[]): Promise<void>
  /** Takes one message and returns when the last answer is on disk. */
  converse(talk: string, text: string): Promise<void>
  /** The log as it is on disk: the role, and the stored text with whatever else is stored beside it. */
  stored(talk: string): Promise<readonly { role: string; body: string }[]>
  /** The size of the database. */
  bytes(): number
  /** The system prompt, when the variant makes its own. */
  system?(): string
  close(): Promise<void>
}

export interface Seed {
  readonly role: 'user' | 'assistant'
  readonly text: string
}

export const MAX_TOKENS = 8192
export const TOOL = 'add'
export const WARM_CALLS = 40

/** What the tool of every variant does. */
export const add = ({ a, b }: { a: number; b: number }): string => `The sum is ${a + b}.`

const words = 'and so the work goes on from one step to the next until all of it is done here'

/** What the model says at a step, streamed in one chunk per word. */
export const said = (step: number): string => `Step ${step}: ${words}.`
export const lastWords = (calls: number): string => `Done after ${calls} calls: ${words}.`
export const inputAt = (step: number): { a: number; b: number } => ({ a: step, b: 1000 })

export const seedsOf = (count: number): Seed[] =>
  Array.from({ length: count }, (_, at) => ({
    role: at % 2 === 0 ? 'user' : 'assistant',
    text: `Message ${at}: ${words}, ${words}.`,
  }))
