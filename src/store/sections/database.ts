import { closeSync, openSync, rmSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

/** A change of the tables, or of how text is split and spaced, is a new version: the index is then made anew. */
const VERSION = 1

const tables = `
  create table folders (id integer primary key, path text not null unique);
  create table files (
    id integer primary key, folder integer not null, path text not null, stamp text not null, digest text not null,
    unique (folder, path));
  create table sections (
    id integer primary key, file integer not null, heading text not null, body text not null, digest text not null);
  create index sections_file on sections (file);
  create table vectors (model text not null, digest text not null, vector blob not null, primary key (model, digest)) without rowid;
  create virtual table texts using fts5(
    folder, path, heading, body, content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2');
  insert into texts (texts, rank) values ('rank', 'bm25(0, 2, 4, 1)');
  pragma user_version = ${VERSION};`

export interface IndexFile {
  /** The connection; another one when the file was removed or damaged meanwhile. */
  readonly connection: DatabaseSync
  close(): void
}

/** Opens the index. It is a cache: one of another version, or one that cannot be read, is thrown away and made anew. */
export function openIndex(file: string): IndexFile {
  try {
    const opened = open(file)
    if (opened !== undefined) return opened
  } catch (error) {
    if (!isDamaged(error)) throw error
  }
  removeIndex(file)
  return open(file, tables)!
}

export function removeIndex(file: string): void {
  for (const part of ['', '-wal', '-shm', '-journal']) rmSync(`${file}${part}`, { force: true })
}

const CORRUPT = 11
const NOT_A_DATABASE = 26
const ERROR = 1

/** A table that is missing is damage too: nobody but us writes this file. */
export const isDamaged = (error: unknown): boolean => {
  const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0
  return [CORRUPT, NOT_A_DATABASE, ERROR].includes(code)
}

/** Whether the file is still the one that was opened: removed under an open connection it would go on without a name. */
export const inodeOf = (file: string): number | undefined => statSync(file, { throwIfNoEntry: false })?.ino

function open(file: string, make?: string): IndexFile | undefined {
  // We make the file before SQLite does, so that it is the owner's alone.
  closeSync(openSync(file, 'a', 0o600))
  const connection = new DatabaseSync(file)
  try {
    // What a crash of the machine loses is found again in the files.
    connection.exec(
      'pragma busy_timeout = 5000; pragma journal_mode = wal; pragma synchronous = off; pragma cache_size = -32000;',
    )
    if (make !== undefined) connection.exec(`begin; ${make} commit;`)
    const version = connection.prepare('pragma user_version').get()?.user_version
    if (version === VERSION) return { connection, close: () => connection.close() }
  } catch (error) {
    connection.close()
    throw error
  }
  connection.close()
  return undefined
}
