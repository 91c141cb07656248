import type { Delta } from '../../contract/events.ts'
import type { SessionId } from '../../contract/ids.ts'
import type { Message, Part, Tokens } from '../../contract/messages.ts'
import type { Project } from './core.ts'

/** Makes one step of a turn: history in, an assistant message out. Failures are part of the result, never thrown. */
export interface Runtime {
  step(request: StepRequest): Promise<StepResult>
  /** What could be named as `provider/model` in this project, and why not where it cannot be used. */
  models(project: Project): Promise<ModelInfo[]>
  /** What is used where nobody chose: the first usable provider's, else the demo. */
  defaultModel(project: Project): Promise<string>
  /** Where a request may go, for a chain of models: every account of the first, then of the next. */
  candidates(project: Project, models: readonly string[]): Promise<Candidates>
  /** The credentials of the project's providers; never a key or part of one. */
  accounts(project: Project): Promise<AccountInfo[]>
  /** How many tokens a model reads at once, where that is known without asking anyone. */
  contextWindow(project: Project, model: string): Promise<number | undefined>
  /** Whether it is known what a request there costs, or the vendor says so with its answer. */
  hasPrice(project: Project, candidate: Candidate): Promise<boolean>
  /** Fetches the newest prices and windows, because a person asked for it. */
  updateCatalogue(): Promise<{ readonly models: number; readonly from: string }>
}

export interface Candidates {
  /** In the order they are tried; accounts known to be exhausted come last. */
  readonly usable: readonly Candidate[]
  /** Models that cannot be tried at all. */
  readonly left: readonly { readonly model: string; readonly reason: string; readonly end?: 'limit' }[]
}

export interface Candidate {
  readonly model: string
  readonly account: string
}

export interface AccountInfo {
  readonly provider: string
  readonly name: string
  readonly usable: boolean
  /** Why not, or why it is not used now. */
  readonly reason?: string
  /** Not used before this moment while another can be. */
  readonly exhaustedUntil?: number
  /** Requests that wait for it. */
  readonly waiting: number
}

export interface ModelInfo {
  readonly name: string
  readonly provider: string
  readonly usable: boolean
  /** Why not, and what to do about it. */
  readonly reason?: string
  readonly contextWindow?: number
  readonly isDefault?: boolean
}

export interface StepRequest {
  readonly sessionId: SessionId
  readonly project: Project
  /** `provider/model` */
  readonly model: string
  /** Which of the provider's accounts; the first usable one unless told. */
  readonly account?: string
  /** The frozen system prompt. */
  readonly system: string
  /** Append-only and shared between steps: never changed in place, so a runtime may cache by message. */
  readonly history: readonly Message[]
  readonly tools: readonly ToolSchema[]
  readonly maxOutputTokens?: number
  readonly temperature?: number
  readonly reasoning?: string
  readonly signal: AbortSignal
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
  readonly finish: 'stop' | 'tool-calls' | 'length' | 'refused' | 'aborted' | 'error'
  readonly error?: ModelError
}

/** retry: the same request may succeed later. switch: another account or model may. The rest need a person. */
export interface ModelError {
  readonly kind: 'retry' | 'switch' | 'auth' | 'context' | 'refused' | 'bad-request'
  /** One sentence a person understands, without secrets. */
  readonly message: string
  readonly retryAfterMs?: number
}
