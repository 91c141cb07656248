import type { Migration } from './migration.ts'

/** Where a session can run, how often it was checked alone after crashes, and whether one task of several ends a wait. */
export const hosts: Migration = {
  name: 'hosts',
  statements: () => [
    'create table hosts (id text primary key, name text not null, seen_at bigint not null)',
    // Nobody knows where older sessions were made: they go on wherever they are taken up.
    'alter table sessions add column host text',
    'alter table sessions add column moves bigint not null default 0',
    'alter table sessions add column checks bigint not null default 0',
    'alter table subscriptions add column any_of bigint not null default 0',
  ],
}
