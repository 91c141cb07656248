import type { Whole } from '../contract/routes/shapes.ts'

/** The page that was asked for, of a list that is held whole. */
export function pageOf<T>(items: readonly T[], { limit, cursor = '0' }: Whole) {
  const end = Number(cursor) + (limit ?? items.length)
  return { items: items.slice(Number(cursor), end), ...(end < items.length ? { nextCursor: String(end) } : {}) }
}
