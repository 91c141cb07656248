/** Runs so many pieces of work at once; the others wait their turn. */
export function slots(count: number): <T>(work: () => Promise<T>) => Promise<T> {
  let free = count
  const waiting: (() => void)[] = []
  return async (work) => {
    while (free === 0) await new Promise<void>((resolve) => waiting.push(resolve))
    free -= 1
    try {
      return await work()
    } finally {
      free += 1
      waiting.shift()?.()
    }
  }
}
