import type { Dialect, Migration } from './migration.ts'

/** SQLite cannot take a constraint away, so its table is made anew. */
const sessionless: Record<Dialect, string[]> = {
  sqlite: [
    `create table timers_new (
      id text primary key, due_at bigint not null, kind text not null, ref text not null,
      session_id text references sessions (id), payload text not null, claimed_by text, claimed_until bigint)`,
    `insert into timers_new select id, due_at, kind, ref, session_id, payload, claimed_by, claimed_until from timers`,
    'drop table timers',
    'alter table timers_new rename to timers',
    'create index timers_due on timers (due_at)',
    'create index timers_claimed on timers (claimed_until) where claimed_until is not null',
  ],
  postgres: ['alter table timers alter column session_id drop not null'],
}

/** What starts work later, the outcome of each of its occurrences, timers without a session, ticks kept out of view. */
export const triggers: Migration = {
  name: 'triggers',
  statements: (dialect) => [
    ...sessionless[dialect],
    `create table triggers (
      id text primary key, project_id text not null, name text not null, type text not null, config text not null,
      action text not null, status text not null, reason text, catch_up text not null, max_fires bigint,
      fires bigint not null, made_by text not null, owner_session_id text references sessions (id), call_id text,
      client_id text, daemon text, makers text not null, chain_id text, hops bigint not null,
      anchor_at bigint not null, next_due bigint, event_cursor text, seen text not null,
      last_at bigint, last_outcome text, created_at bigint not null, updated_at bigint not null)`,
    'create unique index triggers_call on triggers (owner_session_id, call_id) where call_id is not null',
    'create unique index triggers_client on triggers (project_id, client_id) where client_id is not null',
    'create unique index triggers_daemon on triggers (project_id, daemon) where daemon is not null',
    'create index triggers_list on triggers (project_id, created_at)',
    `create index triggers_active on triggers (type) where status = 'active'`,
    `create table trigger_fires (
      id text primary key, trigger_id text not null references triggers (id), occasion text not null,
      due_at bigint not null, since_due bigint not null, covers bigint not null, at bigint not null,
      outcome text not null, reason text, event_seq text, session_id text, result text, chain_id text,
      delivery text, attempts bigint not null)`,
    'create unique index trigger_fires_once on trigger_fires (trigger_id, occasion)',
    'create index trigger_fires_list on trigger_fires (trigger_id, at)',
    'create index trigger_fires_session on trigger_fires (session_id) where session_id is not null',
    'create index trigger_fires_chain on trigger_fires (chain_id) where chain_id is not null',
    'alter table sessions add column hidden bigint not null default 0',
  ],
}
