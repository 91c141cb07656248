import type { DatabaseSync } from 'node:sqlite'
import { hitOf, type SectionHit } from './find.ts'
import { folderId, type SearchFolder } from './follow.ts'
import { termsOf } from './terms.ts'

/** A section that has no vector yet. */
export interface Unembedded {
  readonly digest: string
  readonly text: string
}

/** More would have to be read whole for every search. */
const COMPARED = 20_000
/** Vectors of sections that are gone are kept until there are so many more of them. */
const SPARE = 2

export function unembedded(
  db: DatabaseSync,
  folders: readonly SearchFolder[],
  model: string,
  limit: number,
): Unembedded[] {
  const rows = db
    .prepare(
      `select distinct sections.digest as digest, heading, body from sections join files on files.id = sections.file
       where files.folder in (${marks(folders)})
       and not exists (select 1 from vectors where vectors.model = ? and vectors.digest = sections.digest) limit ?`,
    )
    .all(...idsOf(db, folders), model, limit)
  return rows.map(({ digest, heading, body }) => ({ digest: String(digest), text: `${heading}\n${body}`.trim() }))
}

export function keepVectors(
  db: DatabaseSync,
  model: string,
  items: readonly { readonly digest: string; readonly vector: Float32Array }[],
): void {
  const put = db.prepare('insert or replace into vectors (model, digest, vector) values (?, ?, ?)')
  db.exec('begin')
  try {
    for (const { digest, vector } of items) put.run(model, digest, new Uint8Array(unit(vector).buffer))
    const count = (table: string) => Number(db.prepare(`select count(*) as n from ${table}`).get()?.n)
    if (count('vectors') > SPARE * count('sections'))
      db.exec('delete from vectors where digest not in (select digest from sections)')
    db.exec('commit')
  } catch (error) {
    db.exec('rollback')
    throw error
  }
}

/** The sections whose vectors point most nearly where the query's does. */
export function findNearest(
  db: DatabaseSync,
  folders: readonly SearchFolder[],
  { model, vector, query, limit }: { model: string; vector: Float32Array; query: string; limit: number },
): SectionHit[] {
  const wanted = unit(vector)
  const best: { id: number; score: number }[] = []
  const rows = db
    .prepare(
      `select sections.id as id, vector from sections join files on files.id = sections.file
       join vectors on vectors.digest = sections.digest and vectors.model = ?
       where files.folder in (${marks(folders)}) limit ?`,
    )
    .iterate(model, ...idsOf(db, folders), COMPARED)
  for (const row of rows) {
    const score = dot(wanted, asVector(row.vector as Uint8Array))
    if (best.length === limit && score <= best.at(-1)!.score) continue
    best.push({ id: Number(row.id), score })
    best.sort((a, b) => b.score - a.score)
    if (best.length > limit) best.pop()
  }
  return best.flatMap(({ id }) => hitOf(db, id, termsOf(query)))
}

const marks = (folders: readonly SearchFolder[]): string => folders.map(() => '?').join(', ')

const idsOf = (db: DatabaseSync, folders: readonly SearchFolder[]): number[] =>
  folders.map(({ path }) => folderId(db, path))

/** Of length 1, so that the product of two is their cosine. */
function unit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector)
  return length > 0 ? vector.map((value) => value / length) : vector
}

/** A blob may begin anywhere in its buffer, and numbers may not. */
const asVector = (bytes: Uint8Array): Float32Array => new Float32Array(bytes.slice().buffer)

/** Vectors of another length are of another model under the same name. */
function dot(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length) return Number.NEGATIVE_INFINITY
  let sum = 0
  for (let at = 0; at < a.length; at++) sum += a[at]! * b[at]!
  return sum
}
