import type { Migration } from './migration.ts'

export const talk: Migration = {
  name: 'talk',
  statements: () => [
    'alter table sessions add column wakes_spent bigint not null default 0',
    'alter table sessions add column task_id text',
    'alter table sessions add column came_from text',
    'create index sessions_parent on sessions (parent_session_id) where parent_session_id is not null',
    'alter table messages add column asks bigint',
    'alter table mail add column ask_state text',
    'alter table mail add column ask_call_id text',
    'alter table mail add column ask_until bigint',
    'alter table mail add column answer text',
    'alter table mail add column cost_usd double precision not null default 0',
    `create index mail_asked on mail (session_id) where ask_state in ('open', 'late')`,
    `create index mail_asking on mail (from_session_id) where ask_state = 'open'`,
    `create index mail_chain on mail (chain_id, created_at) where from_kind <> 'human'`,
    'alter table turns add column chain_id text',
    'alter table turns add column hops bigint not null default 0',
    'alter table turns add column cause text',
    'alter table calls add column ref text',
    'alter table calls add column ended_at bigint',
    `create table tasks (
      id text primary key, project_id text not null, agent text not null,
      session_id text not null references sessions (id), parent_session_id text references sessions (id),
      call_id text, status text not null, top_level bigint not null, return_mode text not null,
      instruction text not null, output text, error text, max_duration_ms bigint, summarizing bigint not null,
      chain_id text not null, hops bigint not null, cost_usd double precision not null,
      created_at bigint not null, started_at bigint, finished_at bigint, updated_at bigint not null)`,
    'create unique index tasks_call on tasks (parent_session_id, call_id) where call_id is not null',
    'create index tasks_chain on tasks (chain_id)',
    `create index tasks_open on tasks (status, created_at) where status in ('pending', 'processing', 'waiting')`,
    `create table subscriptions (
      task_id text not null references tasks (id), session_id text not null references sessions (id),
      call_id text, state text not null, created_at bigint not null, primary key (task_id, session_id))`,
    'create index subscriptions_call on subscriptions (call_id) where call_id is not null',
    `create table chains (
      id text primary key, project_id text not null, more_hops bigint not null, more_tasks bigint not null,
      notice_id text, refused_session_id text, stopped_at bigint not null)`,
    'create index chains_notice on chains (notice_id) where notice_id is not null',
  ],
}
