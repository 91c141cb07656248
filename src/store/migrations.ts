import { sql } from 'kysely'
import { AppError } from '../contract/errors.ts'
import type { Db } from './tables.ts'

export type Dialect = 'sqlite' | 'postgres'

/** Forward only. A migration that has been released is never changed; the next one is added below it. */
const migrations: { name: string; statements: (dialect: Dialect) => string[] }[] = [
  {
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
  },
  {
    name: 'makers',
    statements: () => [`alter table sessions add column makers text not null default '[]'`],
  },
  {
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
  },
  {
    name: 'events',
    statements: (dialect) => [
      ...['task_id', 'run_id', 'node_id'].flatMap((column) => [
        `alter table events add column ${column} text`,
        `create index events_${column} on events (${column}, ${dialect === 'sqlite' ? 'id' : 'xid, id'}) where ${column} is not null`,
      ]),
      ...eventsRemoved[dialect],
    ],
  },
]

/** Kept by the database, so that no way of removing events can forget to say so: readers with older cursors are told. */
const eventsRemoved: Record<Dialect, string[]> = {
  sqlite: [
    'create table events_removed (id bigint not null)',
    'insert into events_removed values (0)',
    `create trigger events_removed after delete on events when old.id > (select id from events_removed)
      begin update events_removed set id = old.id; end`,
  ],
  postgres: [
    'create table events_removed (xid xid8 not null, id bigint not null)',
    `insert into events_removed values ('0', 0)`,
    `create function events_removed() returns trigger language plpgsql as $$ begin
      update events_removed r set (xid, id) = (select xid, id from gone order by xid desc, id desc limit 1)
        where exists (select from gone where (gone.xid, gone.id) > (r.xid, r.id));
      return null; end $$`,
    `create trigger events_removed after delete on events referencing old table as gone
      for each statement execute function events_removed()`,
  ],
}

export const schemaVersion = migrations.length

/** `migrations` exists and holds the newest version applied; call it inside the transaction that holds the lock. */
export async function currentVersion(db: Db): Promise<number> {
  await sql`create table if not exists migrations (id bigint primary key, name text not null, at bigint not null)`.execute(
    db,
  )
  const row = await db.selectFrom('migrations').select(db.fn.max('id').as('id')).executeTakeFirst()
  const version = Number(row?.id ?? 0)
  if (version > schemaVersion) {
    throw new AppError('store.newer', `This database has schema ${version}; this program knows ${schemaVersion}.`, {
      hint: 'Use a newer troupe, or restore a backup made by this one.',
    })
  }
  return version
}

export async function migrateOne(db: Db, dialect: Dialect, version: number, at: number): Promise<void> {
  const migration = migrations[version]!
  for (const statement of migration.statements(dialect)) await sql.raw(statement).execute(db)
  await db
    .insertInto('migrations')
    .values({ id: version + 1, name: migration.name, at })
    .execute()
}
