import type { Migration } from './migration.ts'

/** What workers propose, and how many model calls a stage lets each of its nodes make. */
export const board: Migration = {
  name: 'board',
  statements: () => [
    'alter table stages add column max_iterations bigint',
    `create table suggestions (
      run_id text not null references runs (id), node_id text not null references nodes (id), call_id text not null,
      worker text not null, suggestion text not null, told bigint not null, created_at bigint not null,
      primary key (node_id, call_id))`,
    'create index suggestions_run on suggestions (run_id)',
  ],
}
