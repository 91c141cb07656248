import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { findAgent } from '../../src/core/config/agents/find.ts'
import { projectOfSession } from '../../src/core/sessions/project.ts'
import { spawn as make } from '../../src/core/tasks/spawn.ts'
import { ring } from '../../src/core/timers/ring.ts'
import { findSession, updateSession } from '../../src/store/sessions.ts'
import type { TimerRow } from '../../src/store/tables.ts'
import { act } from '../kit/cast.ts'
import { storesInTurn } from '../kit/database.ts'
import { atRest, notices, sessions, taskOf, tasks } from '../kit/records.ts'
import { askPerson, nap, parts, spawn } from '../kit/script.ts'
import { createWorld, type World } from '../kit/world.ts'

const free = { wait: false }
const order = { agent: 'writer', instruction: 'Dig', returnMode: 'raw', wait: false, topLevel: false } as const

const endOf = async (world: World, session: string) => {
  const events = await world.events(session)
  const ended = events.findLast(({ type }) => type === 'turn.ended')
  return [events.findLast(({ type }) => type === 'session.closed')?.data.by, ended?.data.reason]
}

const timesClosed = async (world: World, session: string) =>
  (await world.events(session)).filter(({ type }) => type === 'session.closed').length

describe.each(storesInTurn(import.meta.filename))('who ended a session, and what is then left, on %s', (store) => {
  test('the record says whether a person, the parent or its own end closed a session', async () => {
    const world = await createWorld({ store })
    const gate = Promise.withResolvers<void>()
    parts(world, {
      Start: [
        ...['Done', 'Wait', 'Work', 'Canceled', 'Closed'].map((name) => ({ calls: [spawn('writer', name, free)] })),
        { text: 'Given.' },
      ],
      Done: [{ text: 'Done.' }],
      Work: [{ text: 'Never said.', delay: gate.promise }],
      ...Object.fromEntries(['Wait', 'Canceled', 'Closed'].map((name) => [name, [{ calls: [nap] }]])),
    })
    const parent = await world.session()
    await world.say(parent.id, 'Start')
    const ids: Record<string, string> = {}
    for (const [name, status] of Object.entries({
      Done: 'finished',
      Wait: 'waiting',
      Work: 'processing',
      Canceled: 'waiting',
      Closed: 'waiting',
    }))
      ids[name] = (await taskOf(world, name, status)).session_id
    await world.reaches(ids.Work!, 'running')
    await act(world, ids.Canceled!, 'cancel')
    await act(world, ids.Closed!, 'close')
    await world.reaches(ids.Canceled!, 'closed')
    await world.reaches(ids.Closed!, 'closed')
    await atRestBut(world, ids.Work!)
    await act(world, parent.id, 'close')
    await world.reaches(ids.Work!, 'closed')
    await world.reaches(ids.Wait!, 'closed')
    await atRest(world)
    expect(await endOf(world, ids.Done!)).toEqual(['system', 'The agent had nothing left to do.'])
    expect(await endOf(world, ids.Canceled!)).toEqual(['human', 'It was canceled.'])
    expect(await endOf(world, ids.Closed!)).toEqual(['human', 'The session was closed.'])
    expect(await endOf(world, ids.Wait!)).toEqual(['parent', 'The session was closed by its parent.'])
    expect(await endOf(world, ids.Work!)).toEqual(['parent', 'The session was closed by its parent.'])
    expect((await endOf(world, parent.id))[0]).toBe('human')
    for (const id of [...Object.values(ids), parent.id]) expect(await timesClosed(world, id)).toBe(1)
    gate.resolve()
  })

  test('what a canceled parent waited for was canceled by it', async () => {
    const world = await createWorld({ store })
    parts(world, { Start: [{ calls: [spawn('writer', 'Dig')] }, { text: 'Never said.' }], Dig: [{ calls: [nap] }] })
    const parent = await world.session()
    const mail = await world.send(parent.id, 'Start')
    const { session_id } = await taskOf(world, 'Dig', 'waiting')
    await world.reaches(parent.id, 'waiting')
    await act(world, parent.id, 'cancel')
    await world.settled(mail.mailId)
    const { error } = await taskOf(world, 'Dig', 'canceled')
    expect(error).toBe('It was canceled by its parent.')
    expect(await endOf(world, session_id)).toEqual(['parent', error])
  })

  test('a child that its parent canceled before it began says so too', async () => {
    const world = await createWorld({ store, settings: { limits: { maxConcurrentTasks: 1 } } })
    const gate = Promise.withResolvers<void>()
    parts(world, {
      Start: [
        { calls: [spawn('writer', 'First', free)] },
        { calls: [spawn('writer', 'Second')] },
        { text: 'Never said.' },
      ],
      First: [{ text: 'Done.', delay: gate.promise }],
    })
    const parent = await world.session()
    await world.send(parent.id, 'Start')
    const { session_id } = await taskOf(world, 'Second', 'pending')
    await world.reaches(parent.id, 'waiting')
    await act(world, parent.id, 'cancel')
    const { error } = await taskOf(world, 'Second', 'canceled')
    expect(error).toBe('It was canceled by its parent.')
    expect(await endOf(world, session_id)).toEqual(['parent', error])
    gate.resolve()
  })

  test.each(['close', 'cancel'] as const)('a session that was told to %s starts nothing more', async (signal) => {
    const world = await createWorld({ store })
    const { core } = world.server
    const { id } = await world.session()
    await core.store.write((db) => updateSession(db, id, { signal }))
    const row = (await findSession(core.store.read, id))!
    const project = await projectOfSession(core, row)
    const agent = await findAgent(core, project, 'assistant')
    const by = { sessionId: id, callId: 'call_x', agent, definition: agent.definition, project }
    const chain = { id: 'chain', hops: 0 }
    const made = make(core, { ...by, chain, workspace: row.workspace, deadline: core.clock.now() + 60_000 }, order)
    await expect(made).rejects.toThrow('is being stopped')
    expect(await tasks(world)).toEqual([])
    expect(await sessions(world)).toHaveLength(1)
  })

  test('what cannot be told is tried twenty times, then given up and shown to the person; the rest goes on', async () => {
    // Time stands still: only this test tries again.
    const now = Date.now()
    const world = await createWorld({ store, clock: { now: () => now } })
    const { core } = world.server
    await refuse(world, 'subscriptions')
    parts(world, { Start: [{ calls: [spawn('writer', 'Dig', free)] }, { text: 'Given.' }], Dig: [{ text: 'Dug.' }] })
    const parent = await world.session()
    await world.say(parent.id, 'Start')
    await taskOf(world, 'Dig', 'finished')
    const left = (): Promise<TimerRow | undefined> =>
      core.store.read.selectFrom('timers').selectAll().where('kind', '=', 'task').executeTakeFirst()
    const tries = async () => JSON.parse((await left())?.payload ?? '{}').tries as number | undefined
    await world.eventually(async () => (await tries()) === 1)
    for (let made = 1; made < 20; made++) {
      expect(await tries()).toBe(made)
      expect(await world.inbox()).toEqual([])
      await ring(core, (await left())!)
    }
    expect(await left()).toBeUndefined()
    expect(await world.inbox()).toMatchObject([
      {
        kind: 'notice',
        title: expect.stringContaining('could not be done'),
        body: expect.stringContaining('20 times'),
      },
    ])
    expect(await notices(world, parent.id)).toEqual([])
    expect(await world.say(parent.id, 'Still there?')).toMatchObject({ end: 'done' })
  })
})

test.each(storesInTurn(import.meta.filename))(
  'a task whose session was set aside just before a crash fails at the next start, on %s',
  async (store) => {
    const world = await createWorld({ store })
    const gate = Promise.withResolvers<void>()
    parts(world, {
      Start: [{ calls: [spawn('writer', 'Dig', free)] }, { text: 'Given.' }, { text: 'Told.' }],
      Dig: [{ calls: [askPerson] }, { text: 'Never said.', delay: gate.promise }],
    })
    const parent = await world.session()
    await world.say(parent.id, 'Start')
    const task = await taskOf(world, 'Dig', 'waiting')
    await world.server.core.store.write(async (db) => {
      await db.updateTable('tasks').set({ status: 'processing' }).where('id', '=', task.id).execute()
      await db.updateTable('sessions').set({ status: 'error' }).where('id', '=', task.session_id).execute()
    })
    await world.restart()
    await taskOf(world, 'Dig', 'failed')
    await world.eventually(async () => (await notices(world, parent.id)).length === 1)
    gate.resolve()
  },
)

/** Nothing goes on by itself but this one. */
async function atRestBut(world: World, id: string): Promise<void> {
  await world.eventually(async () => {
    const wanted = await world.server.core.store.read
      .selectFrom('sessions')
      .select('id')
      .where('wanted_at', 'is not', null)
      .execute()
    return wanted.every((session) => session.id === id)
  })
}

/** From now on no row of this table can be changed. */
async function refuse(world: World, table: string): Promise<void> {
  const statements =
    world.server.core.store.about.kind === 'sqlite'
      ? [`create trigger no before update on ${table} begin select raise(abort, 'broken on purpose'); end`]
      : [
          `create function no() returns trigger language plpgsql as $$ begin raise 'broken on purpose'; end $$`,
          `create trigger no before update on ${table} for each row execute function no()`,
        ]
  await world.server.core.store.write(async (db) => {
    for (const statement of statements) await sql.raw(statement).execute(db)
  })
}
