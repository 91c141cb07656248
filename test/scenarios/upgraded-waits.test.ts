import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { waits } from '../../src/store/migrations/011-waits.ts'
import { type StoreKind, stores } from '../database.ts'
import { ask, askPerson, atRest, members, nap, parts, spawn } from '../team.ts'
import { createWorld, type World } from '../world.ts'

/** As the version before kept them: one column for what a call waits for, what was approved, and its result. */
const asBefore = (kind: StoreKind) => [
  'alter table calls add column ref text',
  `update calls set ref = ${field(kind, 'mailId')}, waits_for = '{"created":false}' where kind = 'ask'`,
  `update timers set payload = '{"output":"Slept for 300 s."}'
    where kind = 'call' and ref in (select id from calls where kind = 'timer')`,
  `update calls set result = waits_for where result is null and kind not in ('timer', 'question')`,
  'alter table calls drop column waits_for',
  'alter table calls drop column approved',
  'alter table calls rename column result to resolution',
]

const field = (kind: StoreKind, name: string) =>
  kind === 'sqlite' ? `json_extract(waits_for, '$.${name}')` : `(waits_for::json ->> '${name}')`

const upgrade = (world: World, kind: StoreKind) =>
  world.server.core.store.write(async (db) => {
    for (const statement of [...asBefore(kind), ...waits.statements(kind)]) await sql.raw(statement).execute(db)
  })

describe.each(stores)('waits of the version before, on %s', (store) => {
  test('go on, each in its own way', async () => {
    let now = Date.now()
    const world = await createWorld({ store, files: members('ben', 'cyd'), clock: { now: () => now } })
    parts(world, {
      Nap: [{ calls: [nap] }, { text: 'Rested.' }],
      Inquire: [{ calls: [askPerson] }, { text: 'Told.' }],
      Run: [{ calls: [{ name: 'bash', input: { command: 'touch ran' } }] }, { text: 'Ran.' }],
      Consult: [{ calls: [ask('ben', 'Slowly, is it so?')] }, { text: 'Advised.' }],
      Slowly: [{ calls: [nap] }, { text: 'It is so.' }],
      Delegate: [{ calls: [spawn('cyd', 'Dawdle')] }, { text: 'Done with.' }],
      Dawdle: [{ calls: [nap] }, { text: 'Dawdled.' }],
    })
    const words = ['Nap', 'Inquire', 'Run', 'Consult', 'Delegate']
    const sessions = await Promise.all(words.map(() => world.session()))
    const mails = await Promise.all(words.map((word, at) => world.send(sessions[at]!.id, word)))
    for (const { id } of sessions) await world.reaches(id, 'waiting')
    await atRest(world)

    await upgrade(world, store)
    await world.restart()
    for (const item of await world.inbox())
      await world.ok(
        'POST',
        `/api/inbox/${item.id}/answer`,
        item.kind === 'approval' ? { decision: 'once' } : { answer: 'Sure.' },
      )
    now += 301_000
    world.server.core.alarm(0)
    const ends = await Promise.all(mails.map(({ mailId }) => world.settled(mailId)))
    expect(ends.map(({ reply }) => reply)).toEqual(['Rested.', 'Told.', 'Ran.', 'Advised.', 'Done with.'])
    const results = await Promise.all(sessions.map(async ({ id }) => (await world.results(id))[0]))
    expect(results).toMatchObject([
      'Slept for 300 s.',
      { answer: 'Sure.' },
      expect.anything(),
      { status: 'complete', response: 'It is so.' },
      { status: 'finished', output: 'Dawdled.' },
    ])
    expect(existsSync(join(world.project, 'ran'))).toBe(true)
  })
})
