import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isSettled, stampOfStats } from '../../lib/files/files.ts'
import { wildcard } from '../../lib/wildcard.ts'

/** How many files and folders are looked at for one pattern. */
const ENTRIES = 300_000
const KEPT = 100_000

/** A folder, and how many names of the pattern may lie behind it: one number for each way to read its path. */
interface At {
  readonly path: string
  readonly reached: readonly number[]
}

interface Look {
  readonly stamp: string
  readonly entries: number
  readonly found: readonly string[]
  readonly below: readonly At[]
}

/** For each pattern the folders that were looked into: each is read again when a name was added to it or taken away. */
const kept = new Map<string, Map<string, Look>>()
let looks = 0

/**
 * What is below a folder that these names mean, where `*` stands within one and `**` for any number of them; undefined
 * when that is too much to look at. A folder that is meant counts as a whole.
 */
export function meantBelow(start: string, names: readonly string[], most = ENTRIES): string[] | undefined {
  const known = knownOf(`${start}\0${names.join('/')}`)
  const found: string[] = []
  const folders: At[] = [{ path: start, reached: withoutAny([0], names) }]
  let seen = 0
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    const look = lookInto(at, names, known)
    seen += look.entries
    if (seen > most) return undefined
    found.push(...look.found)
    folders.push(...look.below)
  }
  return found
}

function knownOf(pattern: string): Map<string, Look> {
  if (looks > KEPT) {
    kept.clear()
    looks = 0
  }
  const known = kept.get(pattern) ?? new Map<string, Look>()
  kept.set(pattern, known)
  return known
}

const nothing: Look = { stamp: '', entries: 0, found: [], below: [] }

function lookInto(at: At, names: readonly string[], known: Map<string, Look>): Look {
  try {
    const stats = lstatSync(at.path)
    const stamp = stampOfStats(stats)
    const before = known.get(at.path)
    if (before?.stamp === stamp) return before
    const look = { stamp, ...read(at, names) }
    if (before === undefined) looks += 1
    known.delete(at.path)
    if (isSettled(stats)) known.set(at.path, look)
    return look
  } catch {
    // It is gone, or cannot be read by anybody.
    return nothing
  }
}

function read({ path, reached }: At, names: readonly string[]): Omit<Look, 'stamp'> {
  const found: string[] = []
  const below: At[] = []
  const entries = readdirSync(path, { withFileTypes: true })
  for (const entry of entries) {
    const next = withoutAny(
      reached.flatMap((at) => (names[at] === '**' ? at : wildcard(names[at] ?? '', entry.name) ? at + 1 : [])),
      names,
    )
    if (next.includes(names.length)) found.push(join(path, entry.name))
    else if (next.length > 0 && entry.isDirectory()) below.push({ path: join(path, entry.name), reached: next })
  }
  return { entries: entries.length, found, below }
}

/** `**` may also stand for no name. */
function withoutAny(reached: readonly number[], names: readonly string[]): number[] {
  const all = new Set(reached)
  for (const at of all) if (names[at] === '**') all.add(at + 1)
  return [...all]
}
