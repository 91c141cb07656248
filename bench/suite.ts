/** One line of the table: what was measured, once per round for each variant. */
export interface Row {
  readonly label: string
  readonly unit: string
  readonly digits: number
  /** Per variant, one value a round: values at the same place were measured side by side. */
  readonly rounds: Readonly<Partial<Record<Column, readonly number[]>>>
  /** How many times each floor ours may be at most. */
  readonly goal?: Readonly<Partial<Record<Floor, number>>>
  /** The most that ours may be, in the row's unit. */
  readonly most?: number
}

/**
 * The floors are costs that nobody can avoid: a loop by hand, the provider's package alone, the bare library under a
 * part. Ours is the whole program.
 */
export type Floor = 'raw' | 'doStream' | 'bare'
export type Column = Floor | 'ours'

export interface Options {
  /** One round instead of several. */
  readonly quick: boolean
  readonly part: string | undefined
  /** Where CPU profiles of our own processes go. */
  readonly profile: string | undefined
  progress(line: string): void
}

/** Throws when an answer was wrong: a fast wrong answer is not a result. */
export type Suite = (options: Options) => Promise<Row[]>

/** The flags that make a process of ours write its CPU profile, when one was asked for. */
export const profiling = ({ profile }: Options): string[] =>
  profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]
