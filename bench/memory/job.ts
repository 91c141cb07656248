export interface MemoryQuestion {
  readonly folder: string
  readonly sections: number
  readonly searches: number
  readonly edits: number
}

export interface MemoryTimes {
  /** In milliseconds, one for each search: the bare query, and ours with its look at all files. */
  readonly bare: number[]
  readonly ours: number[]
  /** Searches right after a file was edited. */
  readonly edited: number[]
  readonly buildMs: number
}
