import { sql } from 'kysely'
import { expect } from 'vitest'
import { everyRoute } from '../../src/contract/routes/index.ts'
import type { Run } from '../../src/contract/runs.ts'
import { unreadable } from '../../src/store/drivers/unreadable.ts'
import type { CompactionRow } from '../../src/store/tables.ts'
import { wordTable } from '../../src/store/words.ts'
import { cast } from '../kit/cast.ts'
import type { StoreKind } from '../kit/database.ts'
import { nodesIn, stage, takeOn, workNode } from '../kit/runs.ts'
import { askPerson, nap, spawn } from '../kit/script.ts'
import { openSocket } from '../kit/streams.ts'
import { createWorld, type World } from '../kit/world.ts'

/** Every column that holds more than a name for something is broken in turn, in the rows of one family of sessions. */

interface Column {
  readonly table: string
  readonly name: string
  readonly kind: 'json' | 'word' | 'number' | 'text'
}

const json = new Set([
  'sessions.attributes',
  'sessions.makers',
  'tasks.spent_before',
  'messages.parts',
  'tombstones.parts',
  'mail.answer',
  'calls.input',
  'calls.waits_for',
  'calls.result',
  'inbox.options',
  'inbox.about',
  'inbox.answer',
  'events.data',
  'timers.payload',
  'todos.todos',
  'prompts.sections',
  'prompts.told',
  'reservations.budgets',
  'compactions.flush',
  'runs.limits',
  'workers.makers',
])

/** How many columns of each table are broken at first in one round; one that another hid is broken again, on its own. */
const AT_ONCE = [8, 1]

/** What no session owns. */
const notBroken = [
  ...['migrations', 'events_removed', 'projects', 'hosts', 'lives', 'budgets', 'triggers', 'trigger_fires'],
  ...['presence', 'deliveries', 'layouts', 'memory_writes', 'memory_files'],
]

async function columnsOf(world: World, store: StoreKind): Promise<Column[]> {
  const query =
    store === 'sqlite'
      ? sql<{ table: string; name: string; type: string }>`
          select m.name as "table", p.name, p.type from sqlite_master m, pragma_table_info(m.name) p
          where m.type = 'table' and m.name not like 'sqlite%' and p.pk = 0`
      : sql<{ table: string; name: string; type: string }>`
          select table_name::text as "table", column_name::text as name, data_type::text as type
          from information_schema.columns c where table_schema = current_schema() and data_type <> 'xid8'
            and not exists (select from information_schema.key_column_usage k where k.table_name = c.table_name
              and k.column_name = c.column_name and k.constraint_name like '%_pkey')
          order by table_name, ordinal_position`
  const { rows } = await query.execute(world.server.core.store.read)
  return rows
    .filter(({ table, name }) => !notBroken.includes(table) && !/((^|_)id|^made_by)$/.test(name))
    .map(({ table, name, type }) => ({ table, name, kind: kindOf(table, name, type) }))
}

function kindOf(table: string, name: string, type: string): Column['kind'] {
  if (json.has(`${table}.${name}`)) return 'json'
  if (wordTable[table]?.[name]) return 'word'
  return type.toLowerCase() === 'text' ? 'text' : 'number'
}

/** What a column of this kind cannot mean; PostgreSQL lets less of it in. */
const broken: Record<StoreKind, Record<Column['kind'], readonly string[]>> = {
  sqlite: {
    json: [`'{"half'`, `'5'`],
    word: [`'nonsense'`],
    number: [`'no number'`, '9100000000000000000'],
    text: [`x'ff'`],
  },
  postgres: { json: [`'{"half'`, `'null'`], word: [`'nonsense'`], number: ['9100000000000000000'], text: [] },
}

/** Only summed, compared or counted by the database, or read at an end that this family never comes to. */
const unread =
  /^(seen|grants|chains|switches|suggestions)\.|^requests\.(?!model)|^(calls\.(input|result)|mail\.answer|timers\.(payload|claimed_\w+)|subscriptions\.state|workers\.makers|compactions\.(state|from_seq|flush))$/

interface Family {
  /** The coordinator of a run, its child, and a worker of the run. */
  readonly ann: string
  readonly ben: string
  readonly al: string
  readonly mail: string
  readonly run: string
  readonly node: string
}

/** A session that asked the person, its child and its worker that sleep, and rows of every table about them. */
async function family(world: World): Promise<Family> {
  const { id: run, sessionId: ann } = await world.ok<Run>('POST', '/api/runs', { goal: 'Start', agent: 'ann' })
  const { store } = world.server.core
  const asleep = await world.eventually(async () => {
    const rows = await store.read
      .selectFrom('sessions')
      .select(['id', 'worker', 'node_id'])
      .where((of) => of.or([of('parent_session_id', '=', ann), of('id', '=', ann)]))
      .where('status', '=', 'waiting')
      .execute()
    return rows.length === 3 && rows
  })
  const al = asleep.find(({ worker }) => worker !== null)!
  const ben = asleep.find(({ id, worker }) => id !== ann && worker === null)!
  const first = await store.read.selectFrom('mail').select('id').where('session_id', '=', ann).executeTakeFirstOrThrow()
  await store.write(async (db) => {
    const at = Date.now()
    await db.insertInto('grants').values({ session_id: ann, tool: 'bash', created_at: at }).execute()
    await db.insertInto('seen').values({ session_id: ann, path: '/x', digest: 'd', seen_at: at }).execute()
    await db.insertInto('tombstones').values({ session_id: ann, seq: 1, version: 0, parts: '[]', at }).execute()
    await db.updateTable('messages').set({ edited_at: at }).where('session_id', '=', ann).where('seq', '=', 1).execute()
    await db.insertInto('compactions').values(compactionOf(ann, at)).execute()
    await db
      .updateTable('sessions')
      .set({ compaction_count: 1, attributes: '{"colour":"red"}' })
      .where('id', '=', ann)
      .execute()
    const request = { id: `request_${ann}`, session_id: ann, turn_id: 'turn_before', host: 'here', nanos: 0 }
    await db
      .insertInto('reservations')
      .values({ ...request, budgets: '[]', at })
      .execute()
    const mail = await db
      .selectFrom('mail')
      .select(['chain_id', 'project_id'])
      .where('session_id', '=', ann)
      .executeTakeFirstOrThrow()
    const stop = { notice_id: null, refused_session_id: ann, stopped_at: at, more_hops: 0, more_tasks: 0 }
    await db
      .insertInto('chains')
      .values({ id: mail.chain_id, project_id: mail.project_id, ...stop })
      .onConflict((same) => same.doNothing())
      .execute()
    await db
      .insertInto('switches')
      .values({ id: `switch_${ann}`, from_session_id: ann, to_session_id: ann, client_id: null, mail_id: null, at })
      .execute()
  })
  return { ann, ben: ben.id, al: al.id, mail: first.id, run, node: al.node_id! }
}

const compactionOf = (session_id: string, at: number): CompactionRow => ({
  session_id,
  number: 1,
  turn_id: 'turn_before',
  state: 'done',
  why: 'window',
  focus: '',
  from_seq: 1,
  cut_before: 2,
  at_seq: 2,
  summary: 'It began.',
  summed_to: 0,
  flush: '{}',
  requests: 1,
  tokens_before: 2,
  tokens_after: 1,
  reason: null,
  started_at: at,
  ended_at: at,
})

/** The rows of a table that are about the family. */
const ofFamily: Record<string, string> = {
  nodes: 'made_by',
  stages: '(select session_id from runs where runs.id = stages.run_id)',
  suggestions: '(select session_id from runs where runs.id = suggestions.run_id)',
  sessions: 'id',
  chains: 'refused_session_id',
  switches: 'from_session_id',
  tasks: 'parent_session_id',
}

/** Reads all that can be read, about these sessions and in general; returns what failed. */
async function readAll(world: World, sessions: readonly string[], { mail, run, node }: Family): Promise<string[]> {
  const failed: string[] = []
  for (const [name, { raw }] of everyRoute) {
    const [method, path] = name.split(' ') as [string, string]
    if (
      method !== 'GET' ||
      (raw && path !== '/metrics') ||
      /docs|openapi|models|agents|trust|settings|devices|skills|hooks|mcp|memory|tools|permissions|accounts|health/.test(
        path,
      )
    )
      continue
    const id = path.startsWith('/api/runs') ? run : mail
    const named = path.replace('{id}', id).replace('{node}', node)
    const exact = new Set(sessions.map((session) => named.replace('{ref}', session)))
    for (const each of exact) failed.push(...(await act(world, 'GET', each)))
  }
  return failed
}

/** What is broken is told with its place, and stops neither its session nor the others. A process tells a thousand places at most. */
export async function breakEveryColumn(store: StoreKind): Promise<void> {
  const world = await createWorld({ store, files: cast('ann', 'ben', 'carl') })
  world.vendor.script(({ model, messages, tools }) => {
    const said = messages.filter(({ role }) => role === 'assistant').length
    const suggests = tools.includes('suggest_next') ? [{ name: 'suggest_next', input: { suggestion: 'Rest' } }] : []
    if (model === 'ben' && said === 0) return { calls: [...suggests, nap] }
    if (model === 'ann' && said === 1) return { calls: [stage('All', nodesIn({ messages })), askPerson] }
    const todos = { name: 'todo_write', input: { todos: [{ content: 'Dig' }] } }
    const hires = [takeOn('Al', { agent: 'ben' }), workNode('Nap', { worker: 'Al' })]
    return said > 0 || model === 'carl'
      ? { text: 'Done.' }
      : { calls: [todos, spawn('ben', 'Nap', { wait: false }), ...hires] }
  })
  const whole = await world.session({ agent: 'carl' })
  await world.say(whole.id, 'Hello')
  const [begin] = await world.events()
  const columns = (await columnsOf(world, store)).filter(({ kind }) => broken[store][kind].length > 0)
  const before = unreadable().length
  const untold = (): Column[] => {
    const told = unreadable().slice(before)
    return columns.filter(
      ({ table, name }) =>
        !unread.test(`${table}.${name}`) && !told.some((place) => place.table === table && place.column === name),
    )
  }
  const failed: string[] = []
  let left: readonly Column[] = columns
  for (const atOnce of AT_ONCE) {
    // The tables are read by different lines, so one rarely hides another.
    const tables = Object.values(Object.groupBy(left, ({ table }) => table))
    const rounds = Math.ceil(Math.max(0, ...tables.map((all) => all!.length)) / atOnce)
    for (let round = 0; round < rounds; round++) {
      const all = await family(world)
      const { ann, ben, al } = all
      const item = (await world.inbox()).find(({ waits }) => waits.some(({ sessionId }) => sessionId === ann))
      const chosen = tables.flatMap((all) => all!.slice(round * atOnce, (round + 1) * atOnce))
      for (const { table, name, kind } of chosen) {
        const value = broken[store][kind][round % broken[store][kind].length]
        const rows = `${ofFamily[table] ?? 'session_id'} in ('${ann}', '${ben}', '${al}')`
        const update = sql.raw(`update ${table} set ${name} = ${value} where ${rows}`)
        await world.server.core.store.write((db) => update.execute(db))
      }
      const answers = [
        ...(await readAll(world, [ann, ben], all)),
        ...(item ? await act(world, 'POST', `/api/inbox/${item.id}/answer`, { answer: 'Yes' }) : []),
        ...(await act(world, 'POST', `/api/sessions/${ann}/messages`, { content: 'More', wait: 1 })),
        ...(await readAll(world, [ann], all)),
        ...(await act(world, 'POST', `/api/sessions/${ann}/cancel`)),
        ...(await act(world, 'DELETE', `/api/sessions/${ann}`)),
        ...(await act(world, 'DELETE', `/api/sessions/${ben}`)),
      ]
      failed.push(...answers.map((answer) => `${chosen.map(({ table, name }) => `${table}.${name}`)}: ${answer}`))
    }
    left = untold()
  }
  expect(failed).toEqual([])

  expect((await world.say(whole.id, 'Still there?')).reply).toBe('Done.')
  const newest = (await world.events(whole.id)).at(-1)!
  const socket = await openSocket(world, `?after=${encodeURIComponent(begin!.seq)}`)
  await socket.until(({ events }) => events.some(({ seq }) => seq === newest.seq))
  expect(untold()).toEqual([])
}

async function act(world: World, method: string, path: string, body?: unknown): Promise<string[]> {
  const answer = await world.call(method, path, body === undefined ? {} : { body })
  return answer.status >= 500 ? [`${method} ${path} ${answer.status} ${answer.text}`] : []
}
