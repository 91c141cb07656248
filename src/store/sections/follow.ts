import type { DatabaseSync } from 'node:sqlite'
import { isSettled, realPath, sha256, stampOfStats } from '../../lib/files/files.ts'
import { readDescriptor, type WalkResult, walk } from '../../lib/files/walk.ts'
import { splitSections } from './split.ts'
import { spaced } from './terms.ts'

/** A folder whose Markdown files are searched. */
export interface SearchFolder {
  /** A real path; where a link has taken its place there is nothing to search. */
  readonly path: string
  /** Folders in it that are not part of it. */
  readonly without: readonly string[]
}

interface Known {
  readonly id: number
  readonly stamp: string
  readonly digest: string
}

const FILE_BYTES = 1024 * 1024
const FILES = 50_000

/**
 * Brings the index up to the files of a folder, also after edits by hand. One stat per file when nothing changed; a file
 * is read again when its stamp is new. Returns how many files are left when the time is up.
 */
export function followFolder(db: DatabaseSync, folder: SearchFolder, until: number): number {
  const id = folderId(db, folder.path)
  const rows = db.prepare('select id, path, stamp, digest from files where folder = ?').all(id)
  const known = new Map(rows.map((row) => [String(row.path), row as unknown as Known]))
  const gone = new Map(known)
  let left = 0
  db.exec('begin')
  try {
    for (const found of filesIn(folder)) {
      gone.delete(found.path)
      const before = known.get(found.path)
      const stamp = stampOf(found)
      if (stamp !== '' && before?.stamp === stamp) continue
      if (performance.now() > until) left += 1
      else index(db, id, found, stamp, before)
    }
    for (const file of gone.values()) forget(db, file.id)
    db.exec('commit')
  } catch (error) {
    db.exec('rollback')
    throw error
  }
  return left
}

/** Empty for a file so fresh that it may change again without a new stamp: it is read again next time. */
function stampOf(found: WalkResult): string {
  const stats = found.stat()
  return stats && isSettled(stats) ? stampOfStats(stats) : ''
}

function index(db: DatabaseSync, folder: number, found: WalkResult, stamp: string, before: Known | undefined): void {
  const bytes = readFile(found)
  if (bytes === undefined) return
  const digest = sha256(bytes)
  if (before?.digest === digest) {
    if (before.stamp !== stamp) db.prepare('update files set stamp = ? where id = ?').run(stamp, before.id)
    return
  }
  if (before !== undefined) forget(db, before.id)
  const { lastInsertRowid: file } = db
    .prepare('insert into files (folder, path, stamp, digest) values (?, ?, ?, ?)')
    .run(folder, found.path, stamp, digest)
  const addSection = db.prepare('insert into sections (file, heading, body, digest) values (?, ?, ?, ?)')
  const addText = db.prepare('insert into texts (rowid, folder, path, heading, body) values (?, ?, ?, ?, ?)')
  for (const { heading, body } of splitSections(new TextDecoder().decode(bytes))) {
    const { lastInsertRowid: row } = addSection.run(file, heading, body, sha256(`${heading}\n${body}`))
    addText.run(row, folderTerm(folder), spaced(found.path), spaced(heading), spaced(body))
  }
}

function forget(db: DatabaseSync, file: number): void {
  db.prepare('delete from texts where rowid in (select id from sections where file = ?)').run(file)
  db.prepare('delete from sections where file = ?').run(file)
  db.prepare('delete from files where id = ?').run(file)
}

export function folderId(db: DatabaseSync, path: string): number {
  const found = db.prepare('select id from folders where path = ?').get(path)
  if (found !== undefined) return Number(found.id)
  return Number(db.prepare('insert into folders (path) values (?)').run(path).lastInsertRowid)
}

/** The word by which the sections of a folder are told from those of others. */
export const folderTerm = (id: number): string => `folder${id}`

function* filesIn({ path, without }: SearchFolder): Generator<WalkResult> {
  if (realPath(path) !== path) return
  let files = 0
  try {
    for (const found of walk(path, { from: [], includeIgnored: true, hidden: without })) {
      if (found.kind !== 'file' || !found.path.endsWith('.md') || /(^|\/)\./.test(found.path)) continue
      if (++files > FILES) return
      yield found
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

function readFile(found: WalkResult): Buffer | undefined {
  try {
    return readDescriptor(found.open(), FILE_BYTES)
  } catch {
    return undefined
  }
}
