import type { Migration } from './migration.ts'

export const trunk: Migration = {
  name: 'trunk',
  statements: (dialect) => [
    'create table projects (id text primary key, path text not null, created_at bigint not null)',
    `create table sessions (
      id text primary key, project_id text not null, agent text not null, mode text not null,
      parent_session_id text, client_id text, title text not null, pinned_at bigint, attributes text not null,
      model text, status text not null, reason text, workspace text not null, unattended text,
      message_count bigint not null, next_seq bigint not null, next_mail bigint not null, log_version bigint not null,
      tokens_input bigint not null, tokens_output bigint not null, tokens_cached bigint not null,
      tokens_reasoning bigint not null, cost_usd double precision not null, compaction_count bigint not null,
      auto_wake_budget bigint not null, last_snippet text not null, read_seq bigint not null,
      turn_id text, signal text, wanted_at bigint, priority bigint not null, lease_owner text, lease_until bigint,
      fence bigint not null, attempts bigint not null,
      created_at bigint not null, updated_at bigint not null, closed_at bigint, deleted_at bigint)`,
    'create unique index sessions_client on sessions (project_id, client_id) where client_id is not null',
    'create index sessions_list on sessions (project_id, updated_at)',
    'create index sessions_handle on sessions (project_id, id)',
    'create index sessions_wanted on sessions (priority, wanted_at) where wanted_at is not null',
    `create table messages (
      session_id text not null references sessions (id), seq bigint not null, role text not null, parts text not null,
      from_kind text, from_agent text, from_session_id text, mail_id text, turn_id text, model text,
      tokens_input bigint, tokens_output bigint, tokens_cached bigint, tokens_reasoning bigint,
      cost_usd double precision, duration_ms bigint, interrupted bigint not null,
      edited_at bigint, deleted_at bigint, created_at bigint not null,
      primary key (session_id, seq))`,
    `create table mail (
      id text primary key, project_id text not null, session_id text not null references sessions (id),
      position bigint not null, from_kind text not null, from_agent text, from_session_id text,
      content text not null, followup bigint not null, interrupt bigint not null,
      outcome text not null, state text not null, turn_id text, client_id text, reply_to text,
      chain_id text not null, hops bigint not null, expires_at bigint, taken_at bigint, created_at bigint not null)`,
    'create unique index mail_client on mail (project_id, client_id) where client_id is not null',
    `create index mail_waiting on mail (session_id, position) where state in ('queued', 'held', 'suppressed')`,
    `create table calls (
      id text primary key, session_id text not null references sessions (id), turn_id text not null,
      message_seq bigint not null, position bigint not null, name text not null, input text not null,
      vendor_call_id text not null, state text not null, kind text, inbox_id text, resolution text,
      started_at bigint, created_at bigint not null)`,
    `create index calls_open on calls (session_id, message_seq, position) where state <> 'done'`,
    `create table turns (
      id text primary key, session_id text not null references sessions (id), started_at bigint not null,
      ended_at bigint, ended_as text, reason text, iterations bigint not null,
      waiting_since bigint, waited_ms bigint not null,
      tokens_input bigint not null, tokens_output bigint not null, tokens_cached bigint not null,
      tokens_reasoning bigint not null, cost_usd double precision not null)`,
    'create index turns_session on turns (session_id, started_at)',
    `create table inbox (
      id text primary key, project_id text not null, session_id text references sessions (id), call_id text,
      kind text not null, status text not null, title text not null, body text not null, options text,
      from_kind text not null, from_agent text, answer text, answered_by text,
      created_at bigint not null, answered_at bigint)`,
    'create index inbox_list on inbox (status, created_at)',
    `create index inbox_session on inbox (session_id) where status = 'open'`,
    dialect === 'sqlite'
      ? `create table events (
          id integer primary key autoincrement, at bigint not null, type text not null, project_id text not null,
          session_id text, data text not null)`
      : `create table events (
          xid xid8 not null default pg_current_xact_id(), id bigint generated always as identity,
          at bigint not null, type text not null, project_id text not null, session_id text, data text not null,
          primary key (xid, id))`,
    `create index events_session on events (session_id, ${dialect === 'sqlite' ? 'id' : 'xid, id'}) where session_id is not null`,
    `create table timers (
      id text primary key, due_at bigint not null, kind text not null, ref text not null,
      session_id text not null references sessions (id), payload text not null)`,
    'create index timers_due on timers (due_at)',
    `create table todos (
      session_id text primary key references sessions (id), todos text not null, call_id text not null,
      updated_at bigint not null)`,
    `create table prompts (
      session_id text primary key references sessions (id), key text not null, model text not null,
      text text not null, sections text not null, created_at bigint not null)`,
    `create table grants (
      session_id text not null references sessions (id), tool text not null, created_at bigint not null,
      primary key (session_id, tool))`,
  ],
}
