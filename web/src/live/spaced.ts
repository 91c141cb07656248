/** A read that begins once in so many milliseconds at most: many events make the same thing stale at once. */
export function spaced<T>(ms: number, read: () => Promise<T>): () => Promise<T> {
  let next = 0
  return async () => {
    const wait = next - Date.now()
    next = Math.max(next, Date.now()) + ms
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
    return read()
  }
}
