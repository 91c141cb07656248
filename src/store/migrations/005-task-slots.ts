import type { Migration } from './migration.ts'

export const taskSlots: Migration = {
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
}
