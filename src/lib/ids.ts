import { randomFillSync } from 'node:crypto'

/** The random bytes are drawn in one go: asking for a few costs as much as asking for thousands. */
const pool = Buffer.alloc(4096)
let used = pool.length

export function hex(bytes = 16): string {
  if (used + bytes > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const end = used + bytes
  const text = pool.toString('hex', used, end)
  // The bytes are wiped once they are handed out: some of them become a secret.
  pool.fill(0, used, end)
  used = end
  return text
}

export const newId = (prefix: string): string => `${prefix}_${hex(12)}`
