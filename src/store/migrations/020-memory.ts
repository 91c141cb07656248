import type { Migration } from './migration.ts'

/** Which writes of memory were meant and done, and the memory files as each host last knew them. */
export const memory: Migration = {
  name: 'memory',
  statements: () => [
    `create table memory_writes (
      id text primary key, root text not null, path text not null, before_digest text not null,
      before_bytes bigint not null, after_digest text not null, after_bytes bigint not null,
      done bigint not null, at bigint not null)`,
    'create index memory_writes_at on memory_writes (at)',
    'create index memory_writes_path on memory_writes (root, path)',
    `create table memory_files (
      root text not null, host text not null, path text not null, digest text not null, primary key (root, host, path))`,
  ],
}
