import type { Migration } from './migration.ts'

export const secrets: Migration = {
  name: 'secrets',
  statements: () => [
    'alter table calls add column hidden bigint not null default 0',
    `create table seen (
      session_id text not null references sessions (id), path text not null, digest text not null,
      seen_at bigint not null, primary key (session_id, path))`,
    // What was granted before was a whole tool, which nobody grants any more.
    'delete from grants',
  ],
}
