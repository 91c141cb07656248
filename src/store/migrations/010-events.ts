import type { Dialect, Migration } from './migration.ts'

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

export const eventColumns: Migration = {
  name: 'events',
  statements: (dialect) => [
    ...['task_id', 'run_id', 'node_id'].flatMap((column) => [
      `alter table events add column ${column} text`,
      `create index events_${column} on events (${column}, ${dialect === 'sqlite' ? 'id' : 'xid, id'}) where ${column} is not null`,
    ]),
    ...eventsRemoved[dialect],
  ],
}
