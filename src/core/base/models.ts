import type { AccountState, Model } from '../../contract/models.ts'
import type { Project } from './core.ts'

/** The models, accounts and prices that a project can use. */
export interface Models {
  /** What could be named as `provider/model` in this project, and why not where it cannot be used. */
  list(project: Project): Promise<Model[]>
  /** What is used where nobody chose: the first usable provider's, else the demo. */
  defaultModel(project: Project): Promise<string>
  /** Where a request may go, for a chain of models: every account of the first, then of the next. */
  candidates(project: Project, models: readonly string[]): Promise<Candidates>
  /** How many tokens it reads at once, where that is known without asking anyone. */
  contextWindow(candidate: Candidate): Promise<number | undefined>
  /** Whether it is known what a request there costs, or the vendor says so with its answer. */
  hasPrice(candidate: Candidate): Promise<boolean>
  /** The credentials of the project's providers; never a key or part of one. */
  accounts(project: Project): Promise<AccountState[]>
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
  /** Provider and credentials as the settings had them when it was found. It holds keys: only whoever made it looks inside. */
  readonly route: unknown
}
