import type { Migration } from './migration.ts'

/** What a conversation said about the person's absence before a run in it said otherwise. */
export const runPolicies: Migration = {
  name: 'run-policies',
  statements: () => ['alter table runs add column said_before text'],
}
