import type { Migration } from './migration.ts'

/** Limits in money, what is reserved of them for requests in flight, and which turns wait for one. */
export const budgets: Migration = {
  name: 'budgets',
  statements: () => [
    `create table budgets (
      id text primary key, limit_nanos bigint not null, raised_nanos bigint not null default 0,
      spent_nanos bigint not null, reserved_nanos bigint not null default 0, inbox_id text, stopped_at bigint,
      created_at bigint not null)`,
    `create table reservations (
      id text primary key, session_id text not null references sessions (id), turn_id text not null, host text not null,
      nanos bigint not null, budgets text not null, at bigint not null)`,
    'create index reservations_session on reservations (session_id)',
    'alter table turns add column budget_id text',
    'alter table turns add column budget_since bigint',
    'alter table turns add column budget_needs text',
    'create index turns_budget on turns (budget_id, budget_since) where budget_id is not null',
    'create index budgets_inbox on budgets (inbox_id) where inbox_id is not null',
  ],
}
