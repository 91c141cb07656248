import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import type { InboxItem } from '../../src/contract/inbox.ts'
import type { Session } from '../../src/contract/sessions.ts'
import { projectAt } from '../../src/core/config/projects.ts'
import { sha256 } from '../../src/lib/files/files.ts'
import { migrations } from '../../src/store/migrations/index.ts'
import { act, cast } from '../kit/cast.ts'
import { stores } from '../kit/database.ts'
import type { Place } from '../kit/place.ts'
import { atRest, heard, texts } from '../kit/records.ts'
import { createWorld } from '../kit/world.ts'

const dump = readFileSync(new URL('./schema-10.sql', import.meta.url), 'utf8')
const ROWS = dump.indexOf('insert into migrations')
const VERSION = 10
/** A little later than the last row. */
const KILLED_AT = Date.UTC(2026, 10, 16, 9, 2)

const tools = (...allow: string[]) => ({ tools: { allow } })
const agents = {
  approval: tools('bash'),
  question: tools('ask_human'),
  timer: tools('sleep'),
  ask: tools('agent_message', 'ask_human'),
  asked: tools('ask_human'),
  spawn: tools('agent_spawn', 'ask_human'),
  child: tools('ask_human'),
  tasks: tools('agent_spawn', 'task_wait', 'ask_human', 'sleep'),
  napper: tools('sleep'),
  sitter: tools('ask_human'),
  mail: tools('ask_human'),
  answered: tools('ask_human'),
  allowed: tools('bash'),
  news: tools('agent_send'),
  writing: tools('ask_human'),
  command: { ...tools('bash'), permissions: { allow: ['bash'] } },
}
type Name = keyof typeof agents

test('released migrations make what they made when they were released', () => {
  const [released, ours] = [new DatabaseSync(':memory:'), new DatabaseSync(':memory:')]
  released.exec(dump.slice(0, ROWS))
  ours.exec('create table migrations (id bigint primary key, name text not null, at bigint not null)')
  for (const migration of migrations.slice(0, VERSION)) {
    for (const statement of migration.statements('sqlite')) ours.exec(statement)
  }
  const schema = (db: DatabaseSync) =>
    db
      .prepare('select name, sql from sqlite_master where sql is not null order by name')
      .all()
      .map(({ name, sql }) => `${name}: ${String(sql).replace(/\s+/g, ' ')}`)
  expect(schema(ours)).toEqual(schema(released))
})

describe.each(stores)('a data folder of the version before, on %s', (store) => {
  test('opens, and all that waited in it goes on', async () => {
    let now = KILLED_AT
    const world = await createWorld({ store, files: cast(agents), clock: { now: () => now }, left: leave })
    const sessions = (await world.ok<{ items: Session[] }>('GET', '/api/sessions?limit=200')).items
    const id = (agent: Name): string => sessions.find((session) => session.agent === agent)!.id
    const plays = (model: Name, text: string) => world.vendor.queue({ model }, { text })
    const waitsFor =
      (agent: Name) =>
      ({ sessionId }: InboxItem['waits'][number]): boolean =>
        sessionId === id(agent)
    const answer = async (agent: Name, body: Record<string, unknown>) => {
      const item = (await world.inbox()).find(({ waits }) => waits.some(waitsFor(agent)))
      await world.ok('POST', `/api/inbox/${item!.id}/answer`, body)
    }
    // This version reads commands in another way, so what was approved before is asked about once more.
    const allowAnew = async (agent: Name) => {
      const isAsked = (item: InboxItem) =>
        item.body.includes('the program was replaced by another version') && item.waits.some(waitsFor(agent))
      await world.eventually(async () => (await world.inbox()).some(isAsked))
      await answer(agent, { decision: 'once' })
    }
    const ends = async (agent: Name) => {
      await world.reaches(id(agent), 'idle')
      return world.results(id(agent))
    }

    expect((await world.inbox()).map(({ kind, from }) => `${kind} of ${from.agent}`).toSorted()).toEqual([
      'approval of approval',
      'message of news',
      'question of asked',
      'question of child',
      'question of question',
      'question of sitter',
    ])

    await answer('question', { answer: 'blue' })
    expect(await ends('question')).toEqual([{ answer: 'blue' }])
    await answer('approval', { decision: 'once' })
    await allowAnew('approval')
    await ends('approval')
    expect(existsSync(join(world.project, 'approved.txt'))).toBe(true)

    plays('asked', 'It is a secret.')
    await answer('asked', { answer: 'You may.' })
    expect(await ends('ask')).toMatchObject([{ agent: 'asked', status: 'complete', response: 'It is a secret.' }])
    plays('child', 'Twelve.')
    await answer('child', { answer: 'All of them.' })
    expect(await ends('spawn')).toMatchObject([{ agent: 'child', status: 'finished', output: 'Twelve.' }])

    plays('napper', 'Rested.')
    now += 300_000
    world.server.core.alarm(0)
    expect(await ends('timer')).toEqual(['Slept for 300 s.'])
    expect((await ends('tasks')).at(-1)).toMatchObject({
      tasks: [
        { agent: 'napper', status: 'finished', output: 'Rested.' },
        { agent: 'sitter', status: 'waiting' },
      ],
    })
    plays('sitter', 'Still here.')
    await answer('sitter', { answer: 'Yes.' })
    await world.eventually(async () => (await heard(world, { id: id('tasks') })).at(-1)?.includes('Still here.'))

    for (const agent of ['mail', 'answered', 'allowed'] as const) await act(world, id(agent), 'resume')
    await world.eventually(async () => (await heard(world, { id: id('mail') })).at(-1) === 'The second thing.')
    expect(await heard(world, { id: id('mail') })).toEqual(['Get ready.', 'The first thing.', 'The second thing.'])
    expect(await ends('answered')).toEqual([{ answer: 'with milk' }])
    await ends('allowed')
    expect(existsSync(join(world.project, 'allowed.txt'))).toBe(true)

    expect(texts(await world.messages(id('writing')), 'assistant')).toHaveLength(1)
    expect(await ends('command')).toEqual([expect.stringContaining('unknown')])

    await atRest(world)
    expect((await world.inbox()).map(({ kind }) => kind)).toEqual(['message'])
    const events = await world.events()
    expect(events.slice(0, 2).map(({ type }) => type)).toEqual(['session.created', 'mail.accepted'])
    expect(events.filter(({ type }) => type === 'session.created')).toHaveLength(sessions.length)
  })
})

/** Loads the dump; the rows are the same in both databases, the tables are made by the migrations of that version. */
async function leave({ home, project, databaseUrl }: Place): Promise<void> {
  const filled = dump
    .replaceAll('{projectId}', projectAt(project).id)
    .replaceAll('{project}', project)
    .replace('{bound-approval}', boundTo('approval', 'touch approved.txt', home, project))
    .replace('{bound-allowed}', boundTo('allowed', 'touch allowed.txt', home, project))
  if (databaseUrl === undefined) {
    const database = new DatabaseSync(join(home, 'data.db'))
    database.exec(`begin; ${filled}; commit`)
    database.close()
    return
  }
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query('create table migrations (id bigint primary key, name text not null, at bigint not null)')
  for (const migration of migrations.slice(0, VERSION)) {
    for (const statement of migration.statements('postgres')) await client.query(statement)
  }
  await client.query(filled.slice(filled.indexOf('insert into migrations')))
  await client.end()
}

/** What that version bound an approval to: the folder as it is on this disk, so it cannot be in the dump. */
function boundTo(agent: Name, command: string, home: string, project: string): string {
  const session = new RegExp(`'([0-9a-f]{32})', '{projectId}', '${agent}'`).exec(dump)![1]
  const { dev, ino } = statSync(project)
  const from = `agent ${agent}, ${join(home, 'agents', agent)}`
  return sha256(
    JSON.stringify(['bash', { command }, [project, dev, ino], from, session, [], [JSON.stringify(command)]]),
  )
}
