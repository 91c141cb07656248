import type { DatabaseSync } from 'node:sqlite'
import { folderId, folderTerm, type SearchFolder } from './follow.ts'
import { ftsQuery, snippetOf, termsOf } from './terms.ts'

export interface SectionHit {
  readonly id: number
  /** The folder's path, as it was asked for. */
  readonly folder: string
  readonly path: string
  readonly heading: string
  readonly snippet: string
}

/** Ranked by BM25: first the sections with every word, then those with any of them. */
export function findText(
  db: DatabaseSync,
  folders: readonly SearchFolder[],
  query: string,
  limit: number,
): SectionHit[] {
  const terms = termsOf(query)
  if (terms.length === 0) return []
  const ids = new Set<number>()
  for (const how of terms.length === 1 ? (['AND'] as const) : (['AND', 'OR'] as const)) {
    if (ids.size >= limit) break
    for (const id of ranked(db, folders, ftsQuery(how === 'AND' ? terms : telling(terms), how), limit))
      if (ids.size < limit) ids.add(id)
  }
  return [...ids].flatMap((id) => hitOf(db, id, terms))
}

/** Words that nearly every English sentence has: alone they find nothing in particular, and they cost the most. */
const filler = new Set(
  'a an and are as at be but by can did do does for from had has have how i if in is it its me my no not of on or our so that the their them then there these they this to was we were what when where which who why will with you your'.split(
    ' ',
  ),
)

function telling(terms: readonly string[]): readonly string[] {
  const rest = terms.filter((term) => !filler.has(term))
  return rest.length > 0 ? rest : terms
}

function ranked(db: DatabaseSync, folders: readonly SearchFolder[], match: string, limit: number): number[] {
  const rows = db
    .prepare('select rowid as id from texts where texts match ? order by rank limit ?')
    .all(`${within(db, folders)}{path heading body} : (${match})`, limit)
  return rows.map(({ id }) => Number(id))
}

/** Nothing has to be left out while the index knows no other folders. */
function within(db: DatabaseSync, folders: readonly SearchFolder[]): string {
  const ids = folders.map(({ path }) => folderId(db, path))
  const filled = db
    .prepare('select distinct folder from files')
    .all()
    .map(({ folder }) => Number(folder))
  if (filled.every((id) => ids.includes(id))) return ''
  return `folder : (${ids.map(folderTerm).join(' OR ')}) AND `
}

export function hitOf(db: DatabaseSync, id: number, terms: readonly string[]): SectionHit[] {
  const row = db
    .prepare(
      `select folders.path as folder, files.path as path, heading, body from sections
       join files on files.id = sections.file join folders on folders.id = files.folder where sections.id = ?`,
    )
    .get(id)
  if (row === undefined) return []
  const [folder, path, heading] = [String(row.folder), String(row.path), String(row.heading)]
  return [{ id, folder, path, heading, snippet: snippetOf(String(row.body), terms) }]
}
