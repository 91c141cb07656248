import type { Migration } from './migration.ts'

/**
 * Items name what they are about and what an answer does; notices of one kind are one row. The person's absence, the
 * standstill of everything, and what was sent to channels.
 */
export const inbox: Migration = {
  name: 'inbox',
  statements: () => [
    'alter table inbox add column action text',
    'alter table inbox add column about text',
    'alter table inbox add column grouped text',
    'alter table inbox add column times bigint not null default 1',
    'alter table inbox add column latest_at bigint',
    `update inbox set action = 'budget' where id in (select inbox_id from budgets where inbox_id is not null)`,
    `update inbox set action = 'limit' where id in (select inbox_id from runs where inbox_id is not null)`,
    `update inbox set action = 'price' where substr(id, 1, 12) = 'inbox_price_'`,
    `update inbox set action = 'chain' where id in (select notice_id from chains where notice_id is not null)`,
    `update inbox set action = 'changes' where kind = 'approval' and call_id is null`,
    `create unique index inbox_grouped on inbox (project_id, grouped) where status = 'open' and grouped is not null`,
    // Each way of listing reads only what it shows.
    'drop index inbox_list',
    'create index inbox_list on inbox (status, created_at, id)',
    'create index inbox_kind on inbox (status, kind, created_at, id)',
    'create index inbox_agent on inbox (status, from_agent, created_at, id)',
    'create index inbox_project on inbox (status, project_id, created_at, id)',
    'create index inbox_newest on inbox (created_at, id)',
    'alter table sessions add column questions text',
    'alter table sessions add column paused_with text',
    `create table presence (
      id text primary key, away_since bigint, away_until bigint, paused_since bigint)`,
    `create table deliveries (
      id text primary key, inbox_id text not null, channel text not null, state text not null, attempts bigint not null,
      reason text, expires_at bigint not null, used_at bigint, created_at bigint not null, updated_at bigint not null)`,
    'create unique index deliveries_item on deliveries (inbox_id, channel)',
    'create index deliveries_channel on deliveries (channel, state, created_at)',
  ],
}
