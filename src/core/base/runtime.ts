import type { Delta } from '../../contract/events.ts'
import type { SessionId } from '../../contract/ids.ts'
import type { Message, Part, Tokens } from '../../contract/messages.ts'
import type { Project } from './core.ts'
import type { Candidate, Models } from './models.ts'
import type { ToolOutput } from './tool.ts'

/** Makes one step of a turn: history in, an assistant message out. Failures are part of the result, never thrown. */
export interface Runtime {
  /** The models that it asks. A runtime that asks none has no candidates, windows and prices, and goes by its kind. */
  readonly models?: Models
  step(request: StepRequest): Promise<StepResult>
  /** The result that a call had when the conversation was recorded, for models that play a recording; nothing runs. */
  replayed?(
    project: Project,
    model: string,
    call: { readonly vendorCallId: string; readonly name: string },
  ): Promise<ToolOutput>
}

export interface StepRequest {
  readonly sessionId: SessionId
  /** Where the request goes, as the runtime's models gave it. */
  readonly candidate?: Candidate
  /** The frozen system prompt. */
  readonly system: string
  /** Append-only and shared between steps: never changed in place, so a runtime may cache by message. */
  readonly history: readonly Message[]
  readonly tools: readonly ToolSchema[]
  /** What the agent says. */
  readonly maxOutputTokens?: number
  /** What the money is enough for; never more than this, whoever says otherwise. */
  readonly paidOutputTokens?: number
  readonly temperature?: number
  readonly reasoning?: string
  readonly signal: AbortSignal
  /** How long it may wait to be sent; after that it fails as `busy`. */
  readonly patienceMs?: number
  onDelta(kind: Delta['kind'], text: string): void
}

export interface ToolSchema {
  readonly name: string
  readonly description: string
  /** JSON Schema of the input. */
  readonly inputSchema: Record<string, unknown>
}

export interface StepResult {
  /** Complete parts only. When aborted or cut: the text so far; unfinished calls and unsigned reasoning are dropped. */
  readonly parts: readonly Part[]
  readonly tokens: Tokens
  readonly costUsd?: number
  /** For `length`: why there is no more of the answer, in a sentence. A call of which only the beginning came has text as its input. */
  readonly cut?: string
  /** The request never reached the vendor. */
  readonly unsent?: true
  readonly finish: 'stop' | 'tool-calls' | 'length' | 'refused' | 'aborted' | 'error'
  readonly error?: ModelError
}

/**
 * busy: no request succeeds now, and the account's queue knows when the next is sent. retry: this request failed and may
 * succeed when it is made again. switch: another account or model may. The rest need a person.
 */
export interface ModelError {
  readonly kind: 'busy' | 'retry' | 'switch' | 'auth' | 'context' | 'refused' | 'bad-request'
  /** One sentence a person understands, without secrets. */
  readonly message: string
  readonly retryAfterMs?: number
}
