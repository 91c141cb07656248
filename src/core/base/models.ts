import type { AccountState, Model } from '../../contract/models.ts'
import type { Project } from './core.ts'

/** The models, accounts and prices that a project can use. */
export interface Models {
  /** Every model that can be named as `provider/model` in this project; one that cannot be used says why. */
  list(project: Project): Promise<Model[]>
  /** The model where nobody chose one: that of the settings, else of the first usable provider, else the demo. */
  defaultModel(project: Project): Promise<string>
  /** Where a request may go: every account of the first model, then of the next. */
  candidates(project: Project, models: readonly string[]): Promise<Candidates>
  /** How many tokens the model reads at once; undefined where only its vendor could say. */
  contextWindow(candidate: Candidate): Promise<number | undefined>
  /** What requests to it would cost; undefined where nobody knows before they are made. */
  quote(candidate: Candidate): Promise<Quote | undefined>
  /** Why requests to this candidate wait now; undefined where one would be sent at once. */
  closure(candidate: Candidate): Closure | undefined
  /** The credentials of the project's providers; never a key or part of one. */
  accounts(project: Project): Promise<AccountState[]>
  /** A vector for each text, by an embedding model `provider/model`. */
  embed(project: Project, model: string, texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]>
  /** Fetches the newest prices and windows, because a person asked for it. */
  updateCatalogue(): Promise<{ readonly models: number; readonly from: string }>
}

export interface Candidates {
  /** In the order they are tried; accounts known to be exhausted come last. */
  readonly usable: readonly Candidate[]
  /** Models that cannot be tried at all. */
  readonly left: readonly { readonly model: string; readonly reason: string; readonly end?: 'limit' }[]
}

/** One model through one account. */
export interface Candidate {
  /** `provider/model` */
  readonly model: string
  readonly account: string
  /** How long its vendor is waited for while it fails, cannot be reached or takes no more requests. */
  readonly patienceMs: number
  /** Provider and credentials as the settings had them then. It holds keys: only the runtime that made it looks inside. */
  readonly destination: unknown
}

/** What a request to a candidate would cost at most. */
export interface Quote {
  costUsd(inputTokens: number, outputTokens: number): number
  /** How many tokens of output a request asks for, unless the agent says. */
  readonly outputTokens: number
}

/** Since when requests through an account wait, until when the next one is sent, and what the vendor said. */
export interface Closure {
  readonly since: number
  readonly until: number
  readonly reason: string
}
