import type { Source } from './sources.ts'

/** Files that break a rule, by their path: a rule that does not see them sees nothing. */
type Broken = Readonly<Record<string, string>>

export interface Rule {
  /** What holds, in one sentence. */
  readonly says: string
  /** What breaks it, one line each. */
  readonly find: (sources: readonly Source[]) => readonly string[]
  readonly broken: readonly Broken[]
}

/** Files of one place that each break a rule in a way of their own. */
export const each = (file: string, ...texts: readonly string[]): Broken[] => texts.map((text) => ({ [file]: text }))
