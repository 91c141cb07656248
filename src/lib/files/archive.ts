import { createWriteStream, existsSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { writeAtomic } from './files.ts'

/** What is being moved into an archive: where the file ended before, and what the moved thing is called. */
interface Move {
  readonly file: string
  readonly size: number
  readonly key: string
}

const journalOf = (folder: string): string => join(folder, 'unfinished.json')

/**
 * Moves something into a gzipped file of lines: the lines are on disk before `remove` takes the thing away. When it was
 * not taken away, or the process ended before that, the lines are cut off again: nothing is lost and nothing is there twice.
 */
export async function moveToArchive(
  folder: string,
  { name, key, lines }: { name: string; key: string; lines: AsyncIterable<string> },
  remove: () => Promise<boolean>,
): Promise<boolean> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, name)
  const move: Move = { file: name, size: existsSync(file) ? statSync(file).size : 0, key }
  writeAtomic(journalOf(folder), JSON.stringify(move), 0o600)
  // Gzip members stand one behind the other, so that a file can grow without being read.
  await pipeline(Readable.from(lines), createGzip(), createWriteStream(file, { flags: 'a', mode: 0o600, flush: true }))
  const removed = await remove()
  if (!removed) cutBack(folder, move)
  rmSync(journalOf(folder))
  return removed
}

/** Ends a move in whose middle the process was killed. */
export async function settleArchive(folder: string, isGone: (key: string) => Promise<boolean>): Promise<void> {
  const journal = journalOf(folder)
  if (!existsSync(journal)) return
  const move = JSON.parse(readFileSync(journal, 'utf8')) as Move
  if (!(await isGone(move.key))) cutBack(folder, move)
  rmSync(journal)
}

function cutBack(folder: string, { file, size }: Move): void {
  const path = join(folder, file)
  if (!existsSync(path)) return
  if (size === 0) rmSync(path)
  else truncateSync(path, size)
}
