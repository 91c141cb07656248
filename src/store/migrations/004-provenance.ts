import type { Dialect, Migration } from './migration.ts'

export const provenance: Migration = {
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
}

/** A field of the data of an event. */
function field(dialect: Dialect, name: string): string {
  return dialect === 'sqlite' ? `json_extract(data, '$.${name}')` : `(data::json ->> '${name}')`
}
