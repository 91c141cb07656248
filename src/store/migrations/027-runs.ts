import type { Migration } from './migration.ts'

/** Goals in work: runs, their nodes and what these depend on, their stages and workers. */
export const runs: Migration = {
  name: 'runs',
  statements: () => [
    `create table runs (
      id text primary key, project_id text not null, session_id text not null references sessions (id),
      agent text not null, goal text not null, title text not null, status text not null, reason text, summary text,
      limits text not null, client_id text, cost_before double precision not null, cost_after double precision,
      created_at bigint not null, updated_at bigint not null, ended_at bigint)`,
    'create unique index runs_client on runs (project_id, client_id) where client_id is not null',
    'create index runs_newest on runs (project_id, created_at)',
    `create table stages (
      id text primary key, run_id text not null references runs (id), name text not null, status text not null,
      policy text not null, deadline_at bigint not null, assessment text, call_id text not null, told bigint not null,
      created_at bigint not null, ended_at bigint)`,
    'create index stages_run on stages (run_id)',
    // A task is archived before the run that it was done for, so nothing holds it here.
    `create table nodes (
      id text primary key, run_id text not null references runs (id), project_id text not null, number bigint not null,
      parent_node_id text references nodes (id), depth bigint not null, made_by text not null references sessions (id),
      call_id text not null, spec text not null, status text not null, reason text, summary text, worker text,
      stage_id text references stages (id), checkpointed_at bigint, assigned_at bigint, task_id text, told bigint not null, created_at bigint not null, started_at bigint,
      finished_at bigint, updated_at bigint not null)`,
    'create unique index nodes_call on nodes (made_by, call_id)',
    'create unique index nodes_number on nodes (run_id, number)',
    'create index nodes_parent on nodes (parent_node_id) where parent_node_id is not null',
    'create index nodes_stage on nodes (stage_id) where stage_id is not null',
    `create table node_deps (
      run_id text not null references runs (id), node_id text not null references nodes (id),
      depends_on text not null references nodes (id), primary key (node_id, depends_on))`,
    'create index node_deps_run on node_deps (run_id)',
    `create table workers (
      run_id text not null references runs (id), name text not null, agent text not null, model text,
      session_id text references sessions (id), makers text not null, call_id text, created_at bigint not null,
      retired_at bigint, primary key (run_id, name))`,
    'alter table sessions add column run_id text',
    'alter table sessions add column worker text',
    'alter table sessions add column node_id text',
    'alter table tasks add column node_id text',
    `alter table tasks add column spent_before text not null default '{}'`,
  ],
}
