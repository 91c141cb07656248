import { randomFillSync } from 'node:crypto'

/** Drawn in one go: asking for a few bytes costs as much as asking for thousands. */
const pool = Buffer.alloc(4096)
let used = pool.length

export function hex(bytes = 16): string {
  if (used + bytes > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const end = used + bytes
  const text = pool.toString('hex', used, end)
  // What was handed out is not kept: some of it becomes a secret.
  pool.fill(0, used, end)
  used = end
  return text
}

export const newId = (prefix: string): string => `${prefix}_${hex(12)}`
