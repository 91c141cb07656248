import { describe, expect, test } from 'vitest'
import type { CallState } from '../../src/contract/calls.ts'
import { MAIL_SHOWN, MAILBOX_LIMIT } from '../../src/contract/mail.ts'
import type { Session } from '../../src/contract/sessions.ts'
import { ask, asked, place } from '../kit/asks.ts'
import { sendAs } from '../kit/cast.ts'
import { storesInTurn } from '../kit/database.ts'
import { atRest, heard } from '../kit/records.ts'
import type { World } from '../kit/world.ts'

describe.each(storesInTurn(import.meta.filename))('an answer that comes late, on %s,', (store) => {
  test('is told to nobody when it is only that the other failed', async () => {
    const { world, ann, plays, pass } = await place(store)
    const gate = Promise.withResolvers<void>()
    plays('ann', ask('ben', 'Is it so?', { timeout: 60 }), { text: 'Too slow.' })
    plays('ben', { error: { kind: 'auth' }, delay: gate.promise })
    const mail = await world.send(ann.id, 'Ask Ben')
    await world.reaches(ann.id, 'waiting')
    pass(61)
    await world.settled(mail.mailId)
    gate.resolve()
    await atRest(world)
    expect(await heard(world, ann)).toEqual(['Ask Ben'])
    const parts = (await world.messages(ann.id)).flatMap((message) => message.parts)
    expect(parts).toContainEqual(
      expect.objectContaining({ error: true, output: expect.objectContaining({ status: 'timeout' }) }),
    )
  })

  test('reaches nobody, and is tried no further, when the asker was deleted', async () => {
    const { world, ann, ben, gate } = await asked(store)
    await world.say(ann.id, 'Never mind')
    await world.ok('DELETE', `/api/sessions/${ann.id}`)
    gate.resolve()
    await world.reaches(ben.id, 'idle')
    await atRest(world)
    const db = world.server.core.store.read
    expect(await db.selectFrom('mail').select('content').where('from_session_id', '=', ben.id).execute()).toEqual([])
    expect(await world.inbox()).toEqual([])
  })

  test('goes to the person when the asker’s mailbox is full', async () => {
    const { world, ann, ben, gate } = await asked(store)
    await world.say(ann.id, 'Never mind')
    await world.ok('POST', `/api/sessions/${ann.id}/pause`)
    const { mailId } = await world.send(ann.id, 'The first')
    await world.server.core.store.write(async (db) => {
      const row = await db.selectFrom('mail').selectAll().where('id', '=', mailId).executeTakeFirstOrThrow()
      const more = Array.from({ length: MAILBOX_LIMIT - 1 }, (_, at) => ({
        ...row,
        id: `${mailId}${at}`,
        position: row.position + at + 1,
      }))
      await db.insertInto('mail').values(more).execute()
      await db
        .updateTable('sessions')
        .set({ next_mail: row.position + MAILBOX_LIMIT })
        .where('id', '=', ann.id)
        .execute()
    })
    gate.resolve()
    await world.reaches(ben.id, 'idle')
    await atRest(world)
    expect(await world.inbox()).toMatchObject([
      { kind: 'notice', title: 'An answer of ben found a full mailbox', body: 'It is.' },
    ])
  })
})

/** As if its call had not come as far, or had by now. */
const setCall = (world: World, { id }: Session, state: CallState) =>
  world.server.core.store.write((db) => db.updateTable('calls').set({ state }).where('session_id', '=', id).execute())

describe.each(storesInTurn(import.meta.filename))('the answer to a question on %s', (store) => {
  test('waits for a call that has not parked yet, and is its result', async () => {
    const { world, ann, ben, gate, pass, mail } = await asked(store)
    const { clock, store: rows } = world.server.core
    for (const state of ['ready', 'started'] as const) {
      await setCall(world, ann, state)
      gate.resolve()
      await world.reaches(ben.id, 'idle')
      pass(3)
      // Served, and left for later.
      await world.eventually(async () => {
        const left = await rows.read.selectFrom('timers').select('due_at').where('kind', '=', 'ask').execute()
        return left.length === 1 && left[0]!.due_at > clock.now()
      })
    }
    await setCall(world, ann, 'parked')
    pass(3)
    expect(await world.settled(mail.mailId)).toMatchObject({ reply: 'Thanks.' })
    expect(await world.results(ann.id)).toMatchObject([{ status: 'complete', response: 'It is.' }])
    expect(await heard(world, ann)).toEqual(['Ask Ben'])
  })

  test('is what the one who was asked says, not what anybody else writes meanwhile', async () => {
    const { world, ann, cyd, gate, mail } = await asked(store)
    expect(await sendAs(world, cyd, { to: 'ann', content: 'By the way' })).toMatchObject({ outcome: 'queued' })
    gate.resolve()
    await world.settled(mail.mailId)
    expect(await world.results(ann.id)).toMatchObject([{ status: 'complete', response: 'It is.' }])
    expect(await heard(world, ann)).toEqual(['Ask Ben', 'By the way'])
  })

  test('is its first text with nothing left to call, not what it says on the way there', async () => {
    const { world, ann, plays } = await place(store)
    plays('ann', ask('ben'), { text: 'Thanks.' })
    plays('ben', { text: 'Let me look.', calls: [{ name: 'list_dir', input: { path: '.' } }] }, { text: 'It is.' })
    expect(await world.say(ann.id, 'Ask Ben')).toMatchObject({ reply: 'Thanks.' })
    expect(await world.results(ann.id)).toMatchObject([{ status: 'complete', response: 'It is.' }])
  })
})

test('a very long answer is cut, and says so', async () => {
  const { world, ann, gate, mail } = await asked('sqlite', { text: 'x'.repeat(MAIL_SHOWN + 5) })
  gate.resolve()
  await world.settled(mail.mailId)
  expect(await world.results(ann.id)).toMatchObject([{ truncated: true, response: 'x'.repeat(MAIL_SHOWN) }])
})

test('an answer that cannot be read is known to have come, and no more', async () => {
  const { world, ann, ben, gate, pass, mail } = await asked('sqlite')
  await setCall(world, ann, 'started')
  gate.resolve()
  await world.reaches(ben.id, 'idle')
  await world.server.core.store.write((db) => db.updateTable('mail').set({ answer: '{"half' }).execute())
  await setCall(world, ann, 'parked')
  pass(3)
  await world.settled(mail.mailId)
  expect(await world.results(ann.id)).toEqual([
    {
      status: 'failed',
      agent: 'ben',
      session: ben.handle,
      created: false,
      response: 'The answer could not be read from the database.',
      truncated: false,
      durationMs: 0,
      toolCalls: [],
    },
  ])
})
