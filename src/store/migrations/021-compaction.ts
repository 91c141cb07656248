import type { Migration } from './migration.ts'

/** Where the history that a model reads begins, and what stands for all before it. */
export const compaction: Migration = {
  name: 'compaction',
  statements: () => [
    `create table compactions (
      session_id text not null references sessions (id), number bigint not null, turn_id text not null,
      state text not null, why text not null, focus text not null, from_seq bigint not null, cut_before bigint not null,
      at_seq bigint not null, summary text not null, summed_to bigint not null, flush text not null,
      requests bigint not null, tokens_before bigint not null, tokens_after bigint not null, reason text,
      started_at bigint not null, ended_at bigint, primary key (session_id, number))`,
    'alter table sessions add column compact_focus text',
  ],
}
