import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createDatabase, type StoreKind, stores } from '../../../test/kit/database.ts'
import { makeFolder } from '../../../test/kit/files.ts'
import { insertInbox } from '../inbox.ts'
import type { Store } from '../store.ts'
import type { InboxRow } from '../tables.ts'
import { maskedColumns } from './masking.ts'
import { openPostgres } from './postgres.ts'
import { openSqlite } from './sqlite.ts'

const now = () => 1
const mask = (text: string) => text.replaceAll('canary', '[secret]')

async function open(kind: StoreKind): Promise<Store> {
  const folder = makeFolder()
  const store =
    kind === 'sqlite'
      ? await openSqlite({ file: join(folder, 'data.db'), durability: 'process', now, mask })
      : await openPostgres({ url: await createDatabase(), now, mask })
  onTestFinished(() => store.close())
  return store
}

/** Columns with our own values: ids, states, names, times as text. A new column goes here or among the masked ones. */
const plain: Record<string, readonly string[]> = {
  projects: ['id', 'path'],
  sessions: [
    ...['id', 'project_id', 'agent', 'mode', 'parent_session_id', 'makers', 'client_id', 'model', 'status'],
    ...['workspace', 'unattended', 'task_id', 'came_from', 'turn_id', 'signal', 'lease_owner'],
    ...['stopped_by', 'switch_id', 'host', 'hooks', 'run_id', 'worker', 'node_id', 'questions', 'paused_with'],
  ],
  presence: ['id'],
  layouts: ['id'],
  deliveries: ['id', 'inbox_id', 'channel', 'state'],
  hosts: ['id', 'name'],
  messages: [
    ...[
      'session_id',
      'role',
      'from_kind',
      'from_agent',
      'from_session_id',
      'from_handle',
      'mail_id',
      'turn_id',
      'model',
    ],
  ],
  tombstones: ['session_id'],
  mail: [
    ...['id', 'project_id', 'session_id', 'from_kind', 'from_agent', 'from_session_id', 'outcome', 'state'],
    ...['turn_id', 'client_id', 'reply_to', 'chain_id', 'ask_state', 'ask_call_id'],
    ...['from_handle', 'told_with'],
  ],
  calls: ['id', 'session_id', 'turn_id', 'name', 'vendor_call_id', 'state', 'kind', 'inbox_id', 'approved'],
  turns: ['id', 'session_id', 'ended_as', 'chain_id', 'cause', 'budget_id', 'budget_needs'],
  inbox: [
    ...['id', 'project_id', 'session_id', 'call_id', 'kind', 'status'],
    ...['from_kind', 'from_agent', 'answered_by', 'action', 'grouped'],
  ],
  events: ['xid', 'type', 'project_id', 'session_id', 'task_id', 'run_id', 'node_id'],
  events_removed: ['xid'],
  timers: ['id', 'kind', 'ref', 'session_id', 'claimed_by'],
  todos: ['session_id', 'call_id'],
  seen: ['session_id', 'path', 'digest'],
  prompts: ['session_id', 'key', 'model', 'told', 'active'],
  memory_files: ['root', 'host', 'path', 'digest'],
  memory_writes: ['id', 'root', 'path', 'before_digest', 'after_digest'],
  compactions: ['session_id', 'turn_id', 'state', 'why'],
  requests: ['id', 'session_id', 'turn_id', 'node_id', 'model', 'outcome'],
  budgets: ['id', 'inbox_id'],
  reservations: ['id', 'session_id', 'turn_id', 'host', 'budgets'],
  switches: ['id', 'from_session_id', 'to_session_id', 'client_id', 'mail_id'],
  log_notes: ['session_id', 'call_id'],
  runs: [
    ...['id', 'project_id', 'session_id', 'agent', 'status', 'limits', 'client_id'],
    ...['mode', 'inbox_id', 'asked_limit', 'files_after', 'said_before'],
  ],
  nodes: [
    'id',
    'run_id',
    'project_id',
    'parent_node_id',
    'made_by',
    'call_id',
    'status',
    'worker',
    'task_id',
    'stage_id',
  ],
  stages: ['id', 'run_id', 'status', 'policy', 'call_id'],
  node_deps: ['run_id', 'node_id', 'depends_on'],
  suggestions: ['run_id', 'node_id', 'call_id', 'worker'],
  workers: ['run_id', 'name', 'agent', 'model', 'session_id', 'makers', 'call_id', 'kind'],
  triggers: [
    'id',
    'project_id',
    'type',
    'status',
    'catch_up',
    'made_by',
    'owner_session_id',
    'call_id',
    'client_id',
    'daemon',
    'makers',
    'chain_id',
    'event_cursor',
    'seen',
  ],
  trigger_fires: ['id', 'trigger_id', 'occasion', 'outcome', 'event_seq', 'session_id', 'chain_id', 'delivery'],
  tasks: [
    'id',
    'node_id',
    'spent_before',
    'project_id',
    'agent',
    'session_id',
    'from_kind',
    'owner_session_id',
    'parent_session_id',
    'parent_task_id',
    'client_id',
    'call_id',
    'status',
    'priority',
    'return_mode',
    'chain_id',
  ],
  subscriptions: ['task_id', 'session_id', 'call_id', 'state'],
  chains: ['id', 'project_id', 'notice_id', 'refused_session_id'],
  grants: ['session_id'],
  lives: ['id', 'place'],
  migrations: ['name'],
}

describe.each(stores)('what is written on %s', (kind) => {
  test('every column of text is either masked or known to hold nothing that anyone wrote', async () => {
    const store = await open(kind)
    const tables = await store.read.introspection.getTables()
    const undecided = tables.flatMap(({ name, columns }) => {
      const masked: readonly string[] = maskedColumns[name as keyof typeof maskedColumns] ?? []
      return columns
        .filter(({ dataType }) => !/int|double|float/i.test(dataType))
        .filter((column) => !masked.includes(column.name) && !plain[name]?.includes(column.name))
        .map((column) => `${name}.${column.name}`)
    })
    expect(undecided).toEqual([])
    for (const [table, columns] of Object.entries(maskedColumns)) {
      const found = tables.find(({ name }) => name === table)?.columns.map(({ name }) => name) ?? []
      expect(found, table).toEqual(expect.arrayContaining([...columns]))
    }
  })

  test('inserts, updates and what replaces a row are masked, and nothing but their text', async () => {
    const store = await open(kind)
    const row: InboxRow = {
      ...{ id: 'inbox_canary', project_id: 'canary', session_id: null, call_id: null, kind: 'notice', status: 'open' },
      ...{ title: 'A canary', body: 'canary', options: '["canary"]', from_kind: 'system', from_agent: null },
      ...{ answer: null, answered_by: null, created_at: 1, answered_at: null },
      ...{ action: null, about: null, grouped: null, times: 1, latest_at: null },
    }
    await store.write(async (db) => {
      await insertInbox(db, row)
      await db.updateTable('inbox').set({ answer: '{"answer":"canary"}' }).where('id', '=', row.id).execute()
      await store.appendEvents(db, [
        { at: 1, type: 'log', project: 'canary', sessionId: null, data: { message: 'a canary' } },
      ])
    })
    expect(await store.read.selectFrom('inbox').selectAll().executeTakeFirst()).toEqual({
      ...row,
      title: 'A [secret]',
      body: '[secret]',
      options: '["[secret]"]',
      answer: '{"answer":"[secret]"}',
    })
    const events = await store.read.selectFrom('events').select(['project_id', 'data']).execute()
    expect(events).toEqual([{ project_id: 'canary', data: '{"message":"a [secret]"}' }])
  })
})
