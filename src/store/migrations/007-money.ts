import type { Migration } from './migration.ts'

export const money: Migration = {
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
}
