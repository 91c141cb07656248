import type { Migration } from './migration.ts'

/** How often a model was asked for the title of a run, and whether its time is counted in each cycle anew. */
export const runTitles: Migration = {
  name: 'run-titles',
  statements: () => [
    'alter table runs add column title_asks bigint not null default 0',
    'alter table runs add column time_per_cycle bigint not null default 0',
  ],
}
