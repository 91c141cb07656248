import { describe, expect, test } from 'vitest'
import { findSession, updateSession } from '../../src/store/sessions.ts'
import { stores } from '../kit/database.ts'
import { atRest, notices, taskOf } from '../kit/records.ts'
import { parts, spawn } from '../kit/script.ts'
import { createWorld } from '../kit/world.ts'

const free = { wait: false }
const giving = [
  { calls: [spawn('writer', 'Dig', free)] },
  { calls: [spawn('writer', 'Saw', free)] },
  { text: 'Given.' },
]

describe.each(stores)('on %s', (store) => {
  test('what a person wants of a running session is done also when nobody woke its runner', async () => {
    const world = await createWorld({ store, settings: { permissions: { allow: ['bash'] } } })
    const gone = Promise.withResolvers<void>()
    const sleeps = { calls: [{ name: 'bash', input: { command: 'echo begun; sleep 600' } }] }
    parts(world, {
      Talk: [{ text: 'On and', hang: true, gone: gone.resolve }],
      Run: [sleeps, { text: 'Stopped.' }],
    })
    const begun = Promise.all([world.streams('On and'), world.streams('begun')])
    const [talks, runs] = [await world.session(), await world.session({ agent: 'coder' })]
    await world.send(talks.id, 'Talk')
    const mail = await world.send(runs.id, 'Run')
    await begun
    await world.server.core.store.write(async (db) => {
      await updateSession(db, talks.id, { deleted_at: 1 })
      await updateSession(db, runs.id, { signal: 'interrupt' })
    })
    expect(await world.settled(mail.mailId)).toMatchObject({ reply: 'Stopped.' })
    expect(await world.results(runs.id)).toEqual([expect.stringContaining('interrupted')])
    await gone.promise
  })

  test('a task in line begins when the settings allow more, though nobody tells it', async () => {
    const world = await createWorld({ store, settings: { limits: { maxConcurrentTasks: 1 } } })
    parts(world, { Start: giving, Dig: [{ text: 'On and on', hang: true }], Saw: [{ text: 'Sawn.' }] })
    await world.say((await world.session()).id, 'Start')
    await taskOf(world, 'Saw', 'pending')
    await world.ok('PATCH', '/api/settings', { changes: { 'limits.maxConcurrentTasks': 2 } })
    await world.restart()
    await taskOf(world, 'Saw', 'finished')
  })

  test('a child that could neither go on nor be ended fails its task, and whoever gave it is told', async () => {
    const world = await createWorld({ store, settings: { limits: { maxConcurrentTasks: 1 } } })
    const gate = Promise.withResolvers<void>()
    parts(world, { Start: giving, Dig: [{ text: 'Dug.', delay: gate.promise }] })
    const parent = await world.session()
    await world.say(parent.id, 'Start')
    const { session_id } = await taskOf(world, 'Saw', 'pending')
    const { store: rows } = world.server.core
    await rows.write((db) => updateSession(db, session_id, { attempts: 100 }))
    gate.resolve()
    expect((await taskOf(world, 'Saw', 'failed')).error).toContain('could neither go on nor be ended')
    await atRest(world)
    expect(await notices(world, parent.id)).toContainEqual(expect.stringContaining('could neither go on'))
    expect(await findSession(rows.read, session_id)).toMatchObject({ status: 'closed', wanted_at: null })
  })
})
