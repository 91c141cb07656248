import { randomBytes } from 'node:crypto'
import { existsSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

const RESERVE_BYTES = 1024 * 1024
/** With less than this left, the reserve is not made again. */
const SPARE_BYTES = 8 * RESERVE_BYTES

interface Reserve {
  /** Makes it again where it was given up and there is space; false while there is none. */
  refill(): boolean
  /** Gives the space up; false when it was given up before. */
  give(): boolean
}

export const reserveOf = (beside: string): string => `${beside}.reserve`

/** Space beside a file that is given up once the disk is full, so that what ends work can still be written. */
export function keepReserve(beside: string): Reserve {
  const file = reserveOf(beside)
  let given = false
  if (!existsSync(file)) make(file)
  return {
    refill() {
      if (given) given = !make(file)
      return !given
    },
    give() {
      if (!existsSync(file)) return false
      rmSync(file)
      given = true
      return true
    },
  }
}

function make(file: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(dirname(file))
    if (bavail * bsize < RESERVE_BYTES + SPARE_BYTES) return false
    // Zeros take no space on some disks.
    writeFileSync(file, randomBytes(RESERVE_BYTES), { mode: 0o600 })
    return true
  } catch {
    rmSync(file, { force: true })
    return false
  }
}
