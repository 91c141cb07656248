import type { Migration } from './migration.ts'

/** What nodes hand over as files, and how far the files of a run have been written. */
export const runFiles: Migration = {
  name: 'run-files',
  statements: () => [
    `alter table nodes add column refs text not null default '{}'`,
    'alter table nodes add column single bigint not null default 0',
    'alter table nodes add column reminded bigint not null default 0',
    'alter table nodes add column publishing_at bigint',
    'alter table nodes add column published_at bigint',
    'alter table nodes add column partial bigint not null default 0',
    `alter table nodes add column files text not null default '[]'`,
    'alter table runs add column files_after text',
    'alter table workers add column identity text',
  ],
}
