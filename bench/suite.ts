/** One line of the table: what was measured, for each variant once per round. */
export interface Row {
  readonly label: string
  readonly unit: string
  readonly digits: number
  /** Per variant, one value a round: values at the same place were measured side by side. */
  readonly rounds: Readonly<Partial<Record<Column, readonly number[]>>>
  /** The most that ours may be of each floor. */
  readonly goal?: Readonly<Partial<Record<Floor, number>>>
  /** The most that ours may be, in the row's unit. */
  readonly most?: number
}

/**
 * The floors are what anyone has to pay: a loop by hand, the provider's package alone, the bare library that a part
 * stands on. Ours is the whole program.
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

/** The flags that make a process of ours write its CPU profile where it was asked for. */
export const profiling = ({ profile }: Options): string[] =>
  profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]
