import type { Migration } from './migration.ts'

/** How runs go on: in cycles, with a question about a limit, with reminders; and how they are put away. */
export const runLife: Migration = {
  name: 'run-life',
  statements: () => [
    `alter table runs add column mode text not null default 'finite'`,
    'alter table runs add column cycle_seconds bigint not null default 0',
    'alter table runs add column nudges bigint not null default 0',
    'alter table runs add column nudge_at bigint',
    'alter table runs add column reminded bigint not null default 0',
    'alter table runs add column inbox_id text',
    'alter table runs add column asked_limit text',
    'alter table runs add column archived_at bigint',
    // What a run cost is summed up from its requests.
    'alter table runs drop column cost_before',
    'alter table runs drop column cost_after',
    'create index requests_session on requests (session_id, at)',
    'create index runs_inbox on runs (inbox_id) where inbox_id is not null',
  ],
}
