import type { Whole } from '../contract/routes/shapes.ts'

/** One page of a list that is in memory as a whole. */
export function pageOf<T>(items: readonly T[], { limit, cursor = '0' }: Whole) {
  const end = Number(cursor) + (limit ?? items.length)
  return { items: items.slice(Number(cursor), end), ...(end < items.length ? { nextCursor: String(end) } : {}) }
}
