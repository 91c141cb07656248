import type { Migration } from './migration.ts'

export const trackedTasks: Migration = {
  name: 'tasks',
  statements: () => [
    'alter table tasks add column owner_session_id text references sessions (id)',
    'alter table tasks add column parent_task_id text references tasks (id)',
    `alter table tasks add column from_kind text not null default 'agent'`,
    'alter table tasks add column client_id text',
    `alter table tasks add column tags text not null default '[]'`,
    `alter table tasks add column input text not null default '{}'`,
    'alter table tasks add column max_iterations bigint',
    'alter table tasks add column max_cost_usd double precision',
    'alter table tasks add column attempts bigint not null default 1',
    'alter table tasks add column retries bigint not null default 0',
    'alter table tasks add column counts_from bigint not null default 0',
    ...['input', 'output', 'cached', 'reasoning'].map(
      (kind) => `alter table tasks add column tokens_${kind} bigint not null default 0`,
    ),
    'update tasks set owner_session_id = parent_session_id',
    `update tasks set parent_task_id = (select sessions.task_id from sessions where sessions.id = tasks.parent_session_id)`,
    `update tasks set tokens_input = sessions.tokens_input, tokens_output = sessions.tokens_output,
      tokens_cached = sessions.tokens_cached, tokens_reasoning = sessions.tokens_reasoning
      from sessions where sessions.id = tasks.session_id and tasks.finished_at is not null and tasks.top_level = 0`,
    // A call of the owner makes its task once; whose child the task is, is another matter.
    'drop index tasks_call',
    'create unique index tasks_call on tasks (owner_session_id, call_id) where call_id is not null',
    'create unique index tasks_client on tasks (project_id, client_id) where client_id is not null',
    'create index tasks_parent on tasks (parent_task_id) where parent_task_id is not null',
    'create index tasks_of_session on tasks (parent_session_id) where parent_session_id is not null',
    'create index tasks_newest on tasks (project_id, created_at)',
  ],
}
