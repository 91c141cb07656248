import type { MemoryFileRow, MemoryWriteRow } from './memory-tables.ts'
import type { Db } from './tables.ts'

export async function findMemoryWrite(db: Db, id: string): Promise<MemoryWriteRow | undefined> {
  return db.selectFrom('memory_writes').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Notes what is about to be written, and forgets what was noted long ago. */
export async function insertMemoryWrite(db: Db, row: MemoryWriteRow, forgetBefore: number): Promise<void> {
  await db.deleteFrom('memory_writes').where('at', '<', forgetBefore).execute()
  const { id: _, ...rest } = row
  await db
    .insertInto('memory_writes')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet(rest))
    .execute()
}

export async function finishMemoryWrite(db: Db, id: string): Promise<void> {
  await db.updateTable('memory_writes').set({ done: 1 }).where('id', '=', id).execute()
}

export async function putMemoryFile(db: Db, row: MemoryFileRow): Promise<void> {
  await db
    .insertInto('memory_files')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['root', 'host', 'path']).doUpdateSet({ digest: row.digest, text: row.text }),
    )
    .execute()
}

/** What a file said when this host last knew it. */
export async function memoryText(
  db: Db,
  { root, host, path }: Pick<MemoryFileRow, 'root' | 'host' | 'path'>,
): Promise<string | null | undefined> {
  const row = await db
    .selectFrom('memory_files')
    .select('text')
    .where('root', '=', root)
    .where('host', '=', host)
    .where('path', '=', path)
    .executeTakeFirst()
  return row?.text
}

/** Every text that one of our processes is known to have left in a file, or to have shown: `path digest`. */
export async function knownMemory(db: Db, root: string, paths: readonly string[]): Promise<Set<string>> {
  if (paths.length === 0) return new Set()
  const files = await db
    .selectFrom('memory_files')
    .select(['path', 'digest'])
    .where('root', '=', root)
    .where('path', 'in', paths)
    .execute()
  const written = await db
    .selectFrom('memory_writes')
    .select(['path', 'after_digest as digest'])
    .where('root', '=', root)
    .where('path', 'in', paths)
    .execute()
  return new Set([...files, ...written].map(({ path, digest }) => `${path} ${digest}`))
}
