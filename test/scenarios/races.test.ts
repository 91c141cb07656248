import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { textOf } from '../../src/contract/messages.ts'
import type { Core } from '../../src/core/base/core.ts'
import { boardLooks, transact } from '../../src/core/base/transaction.ts'
import { pauseAll, resumeAll } from '../../src/core/steering/index.ts'
import { advance } from '../../src/core/turns/advance.ts'
import { heedStandstill } from '../../src/core/turns/standstill.ts'
import { openTurn } from '../../src/core/turns/turn.ts'
import { findSession } from '../../src/store/sessions.ts'
import { busyWorld, claim } from '../faults/runners.ts'
import { stores } from '../kit/database.ts'
import { atRest } from '../kit/records.ts'
import { runBecomes, startRun, workNode } from '../kit/runs.ts'
import { parts } from '../kit/script.ts'
import { createWorld } from '../kit/world.ts'

const ask = { calls: [{ name: 'ask_human', input: { question: 'Sure?' } }] }
const ROUNDS = 8

describe.each(stores)('at the borders, on %s', (store) => {
  test('of two answers at once one counts and the other is told', async () => {
    const world = await createWorld({ store })
    world.vendor.reply(ask, { text: 'Thanks.' })
    const session = await world.session()
    const parked = await world.say(session.id, 'Go')
    const [item] = await world.inbox()
    const answers = await Promise.all(
      ['yes', 'no', 'maybe'].map((answer) => world.request('POST', `/api/inbox/${item?.id}/answer`, { answer })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
    const won = answers.findIndex(({ status }) => status === 200)
    await world.settled(parked.mailId)
    expect(await world.results(session.id)).toEqual([{ answer: ['yes', 'no', 'maybe'][won] }])
  })

  test('an answer in the inbox and one as a message: one answers, the other is refused or becomes mail', async () => {
    const world = await createWorld({ store })
    world.vendor.script(({ messages }) => (messages.some(({ role }) => role === 'tool') ? { text: 'Thanks.' } : ask))
    const session = await world.session()
    await world.say(session.id, 'Go')
    const [item] = await world.inbox()
    const [inbox, mail] = await Promise.all([
      world.request('POST', `/api/inbox/${item?.id}/answer`, { answer: 'by inbox' }),
      world.send(session.id, 'by mail'),
    ])
    await world.settled(mail.mailId)
    await world.reaches(session.id, 'idle')
    const texts = (await world.messages(session.id)).map(({ parts }) => textOf(parts))
    if (mail.outcome === 'answered') {
      expect(inbox.status).toBe(409)
      expect(await world.results(session.id)).toEqual([{ answer: 'by mail' }])
      expect(texts).not.toContain('by mail')
    } else {
      expect(inbox.status).toBe(200)
      expect(await world.results(session.id)).toEqual([{ answer: 'by inbox' }])
      expect(texts).toContain('by mail')
    }
  })

  test('an answer against a cancel: once canceled nothing is answered, and the model is not called again', async () => {
    const world = await createWorld({ store })
    world.vendor.script(() => ask)
    const session = await world.session()
    await world.say(session.id, 'Go')
    const [item] = await world.inbox()
    const answer = (text: string) => world.request('POST', `/api/inbox/${item?.id}/answer`, { answer: text })
    await world.ok('POST', `/api/sessions/${session.id}/cancel`)
    expect((await answer('too late')).status).toBe(409)
    await world.reaches(session.id, 'idle')
    expect(world.vendor.requests).toHaveLength(1)
    expect(await world.results(session.id)).toEqual(['canceled'])
    expect(await world.inbox()).toEqual([])
  })

  test('mail sent as a turn ends is read once, whatever the timing', async () => {
    const world = await createWorld({ store })
    const session = await world.session()
    for (let round = 0; round < ROUNDS; round++) {
      const first = await world.send(session.id, `${round} one`)
      const ending = world.settled(first.mailId)
      const second =
        round % 2
          ? await ending.then(() => world.send(session.id, `${round} two`))
          : await world.send(session.id, `${round} two`)
      expect(await world.settled(second.mailId)).toMatchObject({ state: 'taken', ended: true })
    }
    await world.reaches(session.id, 'idle')
    const said = (await world.messages(session.id))
      .filter(({ role }) => role === 'user')
      .map(({ parts }) => textOf(parts))
    expect(said).toEqual(Array.from({ length: ROUNDS }, (_, round) => [`${round} one`, `${round} two`]).flat())
  })

  test('interrupts at any moment cut no answer but the one they were sent against', async () => {
    const world = await createWorld({ store })
    const session = await world.session()
    for (let round = 0; round < ROUNDS; round++) {
      const first = await world.send(session.id, `${round} one`)
      const second = await world.send(session.id, `${round} two`, { interrupt: true })
      expect(await world.settled(second.mailId)).toMatchObject({ ended: true, end: 'done' })
      await world.settled(first.mailId)
      const last = (await world.messages(session.id)).at(-1)
      expect(last).toMatchObject({ role: 'assistant' })
      expect(last?.interrupted).toBeUndefined()
    }
  })

  test('an interrupt stops what ran when it came; whoever hears of it late stops nothing that began after it', async () => {
    const world = await busyWorld({ store })
    const { id } = await world.session()
    await world.send(id, 'One')
    const { lease, row } = (await claim(world, id, 'runner'))!
    const turn = await openTurn(world.server.core, lease, row)
    if ('problem' in turn) throw new Error(turn.problem)
    const told = turn.stop
    await advance(turn, {})
    expect(turn.stop).toBe(told)
    await world.send(id, 'Two', { interrupt: true })
    await advance(turn, {})
    told.abort('interrupted')
    expect(turn.stop.signal.aborted).toBe(false)
  })

  test('a pause that comes as a turn begins is not lost', async () => {
    const world = await createWorld({ store })
    for (let round = 0; round < ROUNDS; round++) {
      const session = await world.session()
      const mail = await world.send(session.id, 'Hi')
      await world.ok('POST', `/api/sessions/${session.id}/pause`)
      await world.reaches(session.id, 'paused')
      await world.ok('POST', `/api/sessions/${session.id}/resume`)
      expect(await world.settled(mail.mailId)).toMatchObject({ end: 'done' })
    }
  })

  test('a cancel that comes as a turn begins ends it, and its mail does not begin it again', async () => {
    const world = await createWorld({ store })
    const never = Promise.withResolvers<void>()
    world.vendor.script(() => ({ text: 'Never said.', delay: never.promise }))
    for (let round = 0; round < ROUNDS; round++) {
      const session = await world.session()
      const mail = await world.send(session.id, 'Hi')
      await world.ok('POST', `/api/sessions/${session.id}/cancel`)
      expect(await world.settled(mail.mailId)).toMatchObject({ ended: true, end: 'canceled', state: 'taken' })
      expect((await world.look(session.id)).status).toBe('idle')
    }
    never.resolve()
  })

  test('a close that comes as a turn begins closes it', async () => {
    const world = await createWorld({ store })
    for (let round = 0; round < ROUNDS; round++) {
      const session = await world.session()
      await world.send(session.id, 'Hi')
      await world.ok('POST', `/api/sessions/${session.id}/close`)
      await world.reaches(session.id, 'closed')
    }
  })

  test('clear never mixes with a turn: it is refused, or the turn begins with an empty history', async () => {
    const world = await createWorld({ store })
    const session = await world.session()
    await world.say(session.id, 'old words')
    for (let round = 0; round < ROUNDS; round++) {
      const [mail, cleared] = await Promise.all([
        world.send(session.id, `round ${round}`),
        world.request('POST', `/api/sessions/${session.id}/clear`),
      ])
      await world.settled(mail.mailId)
      expect([200, 409]).toContain(cleared.status)
      if (cleared.status === 409) continue
      expect(JSON.stringify(world.vendor.requests.at(-1)?.messages)).not.toContain('old words')
    }
  })
})

test('on postgres, who hears that everything is paused while everything goes on again goes on too', async () => {
  const world = await createWorld({ store: 'postgres' })
  const { core } = world.server
  const gate = Promise.withResolvers<void>()
  world.vendor.reply({ text: 'Done.', delay: gate.promise })
  const { id } = await world.session()
  const { mailId } = await world.send(id, 'Go')
  await world.eventually(async () => world.vendor.requests.length === 1)
  await pauseAll(core, 'test')
  await resumeAll(core, 'test')
  await pauseAll({ ...core, wake: () => {} }, 'test')

  // A transaction that has read the row and is not written yet.
  const [read, write] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const appendEvents: typeof core.store.appendEvents = async (db, events) => {
    read.resolve()
    await write.promise
    return core.store.appendEvents(db, events)
  }
  const heeding = heedStandstill({ ...core, store: { ...core.store, appendEvents } }, id)
  await read.promise
  let over = false
  const resuming = resumeAll(core, 'test').then(() => {
    over = true
  })
  await world.eventually(async () => over || (await waitingForLocks(core)) > 0)
  write.resolve()
  await Promise.all([heeding, resuming])
  expect(await findSession(core.store.read, id)).toMatchObject({ paused_with: null, signal: null })
  gate.resolve()
  expect(await world.settled(mailId)).toMatchObject({ end: 'done' })
})

test('on postgres, a coordinator that is told the news while the board is looked at is not reminded that nothing goes on', async () => {
  const world = await createWorld({ store: 'postgres' })
  const { core } = world.server
  parts(world, { Goal: [{ calls: [workNode('Dig')] }, ...Array(5).fill({ text: 'Noted.' })] })
  const run = await startRun(world, 'Goal')
  await runBecomes(world, run, 'waiting')
  await atRest(world)
  const nudges = () => core.store.read.selectFrom('runs').select('nudges').executeTakeFirst()
  const before = await nudges()

  const [locked, told] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const telling = core.store.write(async (db) => {
    await sql`lock table nodes in access exclusive mode`.execute(db)
    locked.resolve()
    await told.promise
    await db.updateTable('sessions').set({ wanted_at: 1 }).where('id', '=', run.sessionId).execute()
  })
  await locked.promise
  await core.store.write((db) => db.updateTable('runs').set({ reminded: 0 }).execute())
  const looking = transact(core, 'run.board', (tx) => boardLooks(tx, run.id)).then(() => core.alarm(0))
  await world.eventually(async () => (await waitingForLocks(core)) > 0)
  told.resolve()
  await Promise.all([telling, looking])
  await world.eventually(async () => (await waitingForLocks(core)) === 0)
  await atRest(world)
  expect(await nudges()).toEqual(before)
})

const waitingForLocks = async ({ store }: Core): Promise<number> => {
  const { rows } = await sql<{ count: string }>`select count(*) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(store.read)
  return Number(rows[0]!.count)
}
