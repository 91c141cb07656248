/** What is measured: so many tasks, by so many who create, claim and finish at once. */
export interface Job {
  readonly folder: string
  /** The address of a cluster; SQLite where there is none. */
  readonly postgres?: string
  readonly tasks: number
}

/** Milliseconds for each task, or for each bare one. */
export interface Times {
  readonly bare: number
  readonly ours: number
}

export const CLAIMERS = 16

/** Runs as many at once as there are claimers, until so many are done; returns the milliseconds of each. */
export async function timed(count: number, work: () => Promise<void>): Promise<number> {
  let left = count
  const began = performance.now()
  await Promise.all(
    Array.from({ length: CLAIMERS }, async () => {
      while (left-- > 0) await work()
    }),
  )
  return (performance.now() - began) / count
}
