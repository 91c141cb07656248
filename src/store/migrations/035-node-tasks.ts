import type { Migration } from './migration.ts'

/** The tasks of a node, and from them all that was done for it. */
export const nodeTasks: Migration = {
  name: 'node-tasks',
  statements: () => ['create index tasks_node on tasks (node_id) where node_id is not null'],
}
