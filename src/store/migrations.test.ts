import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createDatabase, type StoreKind, stores } from '../../test/kit/database.ts'
import { makeFolder } from '../../test/kit/files.ts'
import { openPostgres } from './drivers/postgres.ts'
import { openSqlite } from './drivers/sqlite.ts'
import { migrations } from './migrations/index.ts'
import type { Store } from './store.ts'

const now = () => Date.now()

/** Opens a database that an older program made, which knew only the migrations before this one. */
async function upgraded(
  kind: StoreKind,
  before: string,
  rows: readonly string[],
  choose: (known: typeof migrations) => typeof migrations = (all) =>
    all.slice(
      0,
      all.findIndex(({ name }) => name === before),
    ),
): Promise<Store> {
  const known = choose(migrations)
  const statements = [
    'create table migrations (id bigint primary key, name text not null, at bigint not null)',
    ...known.flatMap((migration, index) => [
      ...migration.statements(kind),
      `insert into migrations (id, name, at) values (${index + 1}, '${migration.name}', 0)`,
    ]),
    ...rows,
  ]
  const store = kind === 'sqlite' ? await oldSqlite(statements) : await oldPostgres(statements)
  onTestFinished(() => store.close())
  return store
}

async function oldSqlite(statements: readonly string[]): Promise<Store> {
  const folder = makeFolder()
  const file = join(folder, 'data.db')
  const raw = new DatabaseSync(file)
  for (const statement of statements) raw.exec(statement)
  raw.close()
  return openSqlite({ file, durability: 'process', now })
}

async function oldPostgres(statements: readonly string[]): Promise<Store> {
  const url = await createDatabase({ empty: true })
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  for (const statement of statements) await client.query(statement)
  await client.end()
  return openPostgres({ url, now })
}

const [HERE, THERE] = ['aaaabbbb'.padEnd(32, '1'), 'ccccdddd'.padEnd(32, '2')]

const session = (id: string, cameFrom: string | null) => `insert into sessions (
  id, project_id, agent, mode, title, attributes, status, workspace, message_count, next_seq, next_mail, log_version,
  tokens_input, tokens_output, tokens_cached, tokens_reasoning, cost_usd, compaction_count, auto_wake_budget,
  last_snippet, read_seq, priority, fence, attempts, created_at, updated_at, came_from)
  values ('${id}', 'p', 'writer', 'chat', '', '{}', 'idle', '/', 1, 2, 2, 0, 0, 0, 0, 0, 0, 0, 6, '', 0, 0, 0, 0, 1, 1,
  ${cameFrom === null ? 'null' : `'${cameFrom}'`})`

const switched = (at: number, data: Record<string, string>) =>
  `insert into events (at, type, project_id, session_id, data)
  values (${at}, 'session.switched', 'p', '${HERE}', '${JSON.stringify({ to: THERE, agent: 'writer', handle: 'cccc', ...data })}')`

describe.each(stores)('an older database on %s', (kind) => {
  test('keeps what was shown of senders, and where the person went, by which request', async () => {
    const { read } = await upgraded(kind, 'provenance', [
      session(HERE, null),
      session(THERE, HERE),
      switched(10, { clientId: 'switch:one', mailId: 'mail_1' }),
      switched(20, { clientId: 'switch:two' }),
      switched(30, { clientId: 'switch:one' }),
      `insert into mail (id, project_id, session_id, position, from_kind, from_agent, from_session_id, content, followup,
        interrupt, outcome, state, chain_id, hops, created_at)
        values ('mail_1', 'p', '${THERE}', 1, 'agent', 'writer', '${HERE}', 'Hi', 0, 0, 'started', 'taken', 'c', 0, 1)`,
      `insert into messages (session_id, seq, role, parts, from_kind, from_agent, from_session_id, interrupted, created_at)
        values ('${THERE}', 1, 'user', '[]', 'agent', 'writer', '${HERE}', 0, 1)`,
    ])
    expect(await read.selectFrom('mail').select('from_handle').execute()).toEqual([{ from_handle: 'aaaabbbb' }])
    expect(await read.selectFrom('messages').select('from_handle').execute()).toEqual([{ from_handle: 'aaaabbbb' }])
    const switches = await read.selectFrom('switches').selectAll().orderBy('at').execute()
    const way = { from_session_id: HERE, to_session_id: THERE }
    expect(switches).toEqual([
      { ...way, id: expect.any(String), client_id: 'switch:one', mail_id: 'mail_1', at: 10 },
      { ...way, id: expect.any(String), client_id: 'switch:two', mail_id: null, at: 20 },
    ])
    const sessions = await read.selectFrom('sessions').select(['id', 'switch_id']).orderBy('id').execute()
    expect(sessions).toEqual([
      { id: HERE, switch_id: null },
      { id: THERE, switch_id: switches[1]!.id },
    ])
  })

  test('gets a migration that joined the list before others which it has; one that nobody knows is refused', async () => {
    const late = migrations.findIndex(({ name }) => name === 'tools')
    const store = await upgraded(kind, '', [], (known) => known.filter((_, at) => at !== late))
    const rows = await store.read.selectFrom('migrations').select('name').orderBy('id').execute()
    const others = migrations.filter((_, at) => at !== late).map(({ name }) => name)
    expect(rows.map(({ name }) => name)).toEqual([...others, 'tools'])
    await expect(
      upgraded(kind, 'tools', [`insert into migrations (id, name, at) values (100, 'teleport', 0)`]),
    ).rejects.toMatchObject({ code: 'store.newer', message: expect.stringContaining('teleport') })
  })

  test('names what an answer to each open item does, and leaves the rest as it was', async () => {
    const item = (id: string, kind: string, call: string | null = null) =>
      `insert into inbox (id, project_id, session_id, call_id, kind, status, title, body, from_kind, created_at)
        values ('${id}', 'p', null, ${call === null ? 'null' : `'${call}'`}, '${kind}', 'open', 'T', 'B', 'system', 1)`
    const { read } = await upgraded(kind, 'inbox', [
      item('inbox_budget', 'notice'),
      item('inbox_run', 'notice'),
      item('inbox_price_1', 'notice'),
      item('inbox_chain', 'notice'),
      item('inbox_aside', 'approval'),
      item('inbox_call', 'approval', 'call_1'),
      item('inbox_news', 'notice'),
      session(HERE, null),
      `insert into budgets (id, limit_nanos, spent_nanos, inbox_id, created_at) values ('b', 1, 1, 'inbox_budget', 1)`,
      `insert into chains (id, project_id, notice_id, more_hops, more_tasks, stopped_at)
        values ('c', 'p', 'inbox_chain', 0, 0, 1)`,
      `insert into runs (id, project_id, session_id, agent, goal, title, status, limits, created_at, updated_at, inbox_id)
        values ('run_1', 'p', '${HERE}', 'coordinator', 'G', 'G', 'paused', '{}', 1, 1, 'inbox_run')`,
    ])
    const rows = await read.selectFrom('inbox').select(['id', 'action', 'times', 'status']).orderBy('id').execute()
    const left = (id: string, action: string | null) => ({ id, action, times: 1, status: 'open' })
    expect(rows).toEqual([
      left('inbox_aside', 'changes'),
      left('inbox_budget', 'budget'),
      left('inbox_call', null),
      left('inbox_chain', 'chain'),
      left('inbox_news', null),
      left('inbox_price_1', 'price'),
      left('inbox_run', 'limit'),
    ])
  })

  test('wants the tasks that were left pending', async () => {
    const { read } = await upgraded(kind, 'task-slots', [
      ...given('left', 'idle', 'pending'),
      ...given('paused', 'paused', 'pending'),
      ...given('resting', 'idle', 'waiting'),
    ])
    expect(await read.selectFrom('sessions').select(['id', 'wanted_at']).orderBy('id').execute()).toEqual([
      { id: 'left', wanted_at: 1 },
      { id: 'paused', wanted_at: null },
      { id: 'resting', wanted_at: null },
    ])
    expect(await read.selectFrom('tasks').select('priority').execute()).toEqual(Array(3).fill({ priority: 'normal' }))
  })
  test('keeps what its calls wait for, what a person approved, and results, each in its place', async () => {
    const asked = { changesRights: false, bound: 'digest', always: ['bash(ls)'] }
    const tasks = { taskIds: ['task_1'], need: 'any' }
    const result = { output: { answer: 'yes' } }
    const { read } = await upgraded(kind, 'waits', [
      session(HERE, null),
      called('approval', 'parked', asked),
      called('question', 'parked', null),
      called('timer', 'parked', null),
      `insert into timers (id, due_at, kind, ref, session_id, payload)
        values ('timer parked', 1, 'call', 'timer parked', '${HERE}', '{"output":"Slept for 3 s."}')`,
      called('ask', 'parked', { created: true }, 'mail_1'),
      called('spawn', 'parked', tasks),
      called('approval', 'started', { ...asked, approved: 'once' }),
      called('approval', 'ready', 'half'),
      called('question', 'resolved', result),
      called('approval', 'done', { ...asked, approved: 'always' }),
      called('tasks', 'done', result),
    ])
    const rows = await read.selectFrom('calls').select(['id', 'waits_for', 'approved', 'result']).execute()
    const shown = (text: string | null) => (text?.startsWith('{') ? JSON.parse(text) : text)
    expect(
      Object.fromEntries(rows.map((row) => [row.id, [shown(row.waits_for), row.approved, shown(row.result)]])),
    ).toEqual({
      'approval parked': [asked, null, null],
      'question parked': [null, null, null],
      'timer parked': [{ result: 'Slept for 3 s.' }, null, null],
      'ask parked': [{ mailId: 'mail_1', created: true }, null, null],
      'spawn parked': [tasks, null, null],
      'approval started': [{ ...asked, approved: 'once' }, 'digest', null],
      'approval ready': ['"half"', null, null],
      'question resolved': [null, null, result],
      'approval done': [{ ...asked, approved: 'always' }, null, null],
      'tasks done': [null, null, result],
    })
  })
})

const called = (kind: string, state: string, resolution: unknown, ref?: string) => `insert into calls (
  id, session_id, turn_id, message_seq, position, name, input, hidden, vendor_call_id, state, kind, ref, resolution, created_at)
  values ('${kind} ${state}', '${HERE}', 'turn_1', 1, 0, 'tool', '{}', 0, 'v', '${state}', '${kind}',
  ${ref === undefined ? 'null' : `'${ref}'`}, ${resolution === null ? 'null' : `'${JSON.stringify(resolution)}'`}, 1)`

/** A session with its task. */
const given = (id: string, status: string, taskStatus: string): string[] => [
  session(id, null),
  `update sessions set status = '${status}', task_id = 'task_${id}' where id = '${id}'`,
  `insert into tasks (id, project_id, agent, session_id, status, top_level, return_mode, instruction, summarizing, chain_id,
    hops, cost_usd, created_at, updated_at)
    values ('task_${id}', 'p', 'writer', '${id}', '${taskStatus}', 0, 'summary', 'Dig', 0, 'chain', 0, 0, 1, 1)`,
]
