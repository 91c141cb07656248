import { sql } from 'kysely'
import { AppError } from '../contract/errors.ts'
import type { Db } from './tables.ts'

export type Dialect = 'sqlite' | 'postgres'

/** Forward only. A migration that has been released is never changed; the next one is added below it. */
export const migrations: readonly { name: string; statements: (dialect: Dialect) => string[] }[] = [
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
    name: 'provenance',
    statements: (dialect) => [
      'alter table mail add column from_handle text',
      'alter table mail add column told_with text',
      'alter table messages add column from_handle text',
      // What models and people were shown until now.
      'update mail set from_handle = substr(from_session_id, 1, 8) where from_session_id is not null',
      'update messages set from_handle = substr(from_session_id, 1, 8) where from_session_id is not null',
      `create table tombstones (
        session_id text not null references sessions (id), seq bigint not null, version bigint not null,
        parts text not null, at bigint not null, primary key (session_id, seq, version))`,
      `create table switches (
        id text primary key, from_session_id text not null references sessions (id),
        to_session_id text not null references sessions (id), client_id text, mail_id text, at bigint not null)`,
      'create unique index switches_client on switches (from_session_id, client_id) where client_id is not null',
      'alter table sessions add column switch_id text',
      `insert into switches (id, from_session_id, to_session_id, client_id, mail_id, at)
        select 'switch_' || id, session_id, ${field(dialect, 'to')}, ${field(dialect, 'clientId')},
          ${field(dialect, 'mailId')}, at
        from events where type = 'session.switched' and session_id is not null on conflict do nothing`,
      `update sessions set switch_id = (
        select id from switches where to_session_id = sessions.id and from_session_id = sessions.came_from
        order by at desc limit 1) where came_from is not null`,
    ],
  },
  {
    name: 'task-slots',
    statements: () => [
      `alter table tasks add column priority text not null default 'normal'`,
      'alter table tasks add column max_wait_ms bigint not null default 3600000',
      // A pending task is wanted from now on, and begins with the claim that finds a slot for it.
      `update sessions set wanted_at = created_at where wanted_at is null and deleted_at is null and status = 'idle'
        and task_id in (select id from tasks where status = 'pending')`,
      'alter table sessions add column stopped_by text',
      `create table log_notes (
        session_id text not null references sessions (id), call_id text not null, primary key (session_id, call_id))`,
    ],
  },
  {
    name: 'claimed timers',
    statements: () => [
      'alter table timers add column claimed_by text',
      'alter table timers add column claimed_until bigint',
      'create index timers_claimed on timers (claimed_until) where claimed_until is not null',
    ],
  },
  {
    name: 'money',
    statements: () => [
      ...['sessions', 'turns', 'tasks'].flatMap((table) => [
        `alter table ${table} add column total_cost_usd double precision not null default 0`,
        `alter table ${table} add column unpriced_tokens bigint not null default 0`,
        `update ${table} set total_cost_usd = cost_usd`,
      ]),
      'alter table mail add column unpriced_tokens bigint not null default 0',
      'alter table subscriptions add column charged_usd double precision not null default 0',
      'alter table subscriptions add column charged_tokens bigint not null default 0',
      `create table requests (
        id text primary key, session_id text not null references sessions (id), turn_id text not null,
        model text not null, outcome text not null, at bigint not null, tokens_input bigint not null,
        tokens_output bigint not null, tokens_cached bigint not null, tokens_reasoning bigint not null,
        cost_usd double precision)`,
      'create index requests_at on requests (at)',
      // A fork holds copies of answers; the turn says who paid for them.
      `insert into requests
        select 'message:' || m.session_id || ':' || m.seq, m.session_id, m.turn_id, m.model, 'answered', m.created_at,
          m.tokens_input, m.tokens_output, m.tokens_cached, m.tokens_reasoning, m.cost_usd
        from messages m join turns t on t.id = m.turn_id and t.session_id = m.session_id
        where m.model is not null and m.tokens_input is not null`,
      // Own is what the answers cost; where all of them were cleared nothing tells own and children's apart.
      ...[
        ['sessions', 'session_id'],
        ['turns', 'turn_id'],
      ].map(
        ([table, of]) => `update ${table} set cost_usd = spent.cost, unpriced_tokens = spent.unpriced
          from (select ${of} as id, coalesce(sum(cost_usd), 0) as cost,
            sum(case when cost_usd is null then tokens_input + tokens_output else 0 end) as unpriced
            from requests group by ${of}) as spent
          where spent.id = ${table}.id`,
      ),
      `with recursive tree (root, id) as (
          select id, id from sessions
          union all
          select tree.root, sessions.id from sessions join tree on sessions.parent_session_id = tree.id)
        update sessions set unpriced_tokens = unpriced.tokens
        from (select tree.root as id, sum(requests.tokens_input + requests.tokens_output) as tokens
          from tree join requests on requests.session_id = tree.id where requests.cost_usd is null
          group by tree.root) as unpriced
        where unpriced.id = sessions.id`,
      `update tasks set cost_usd = sessions.cost_usd, unpriced_tokens = sessions.unpriced_tokens from sessions
        where sessions.id = tasks.session_id and tasks.top_level = 0 and tasks.finished_at is not null`,
      `update subscriptions set charged_usd = tasks.total_cost_usd, charged_tokens = tasks.unpriced_tokens from tasks
        where tasks.id = subscriptions.task_id and subscriptions.state = 'told'`,
    ],
  },
  {
    name: 'told',
    statements: () => [`alter table prompts add column told text not null default '{}'`],
  },
  {
    name: 'secrets',
    statements: () => [
      'alter table calls add column hidden bigint not null default 0',
      `create table seen (
        session_id text not null references sessions (id), path text not null, digest text not null,
        seen_at bigint not null, primary key (session_id, path))`,
      // What was granted before was a whole tool, which nobody grants any more.
      'delete from grants',
    ],
  },
]

/** A field of the data of an event. */
function field(dialect: Dialect, name: string): string {
  return dialect === 'sqlite' ? `json_extract(data, '$.${name}')` : `(data::json ->> '${name}')`
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
