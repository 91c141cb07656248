import type { Migration } from './migration.ts'

/**
 * What kind of worker it is and whether it may write to the memory of agents, why a node is being stopped, what requests
 * were made for which node, and since when a run is in its cycle.
 */
export const runDetails: Migration = {
  name: 'run-details',
  statements: () => [
    `alter table workers add column kind text not null default 'harnessed'`,
    'alter table workers add column may_write_memory bigint not null default 0',
    'alter table nodes add column stop_reason text',
    'alter table requests add column node_id text',
    'alter table runs add column cycle_at bigint',
  ],
}
