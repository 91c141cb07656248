import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import type { Event } from '../../src/contract/events.ts'
import { textOf } from '../../src/contract/messages.ts'
import { settleEvents, stores } from '../kit/database.ts'
import { bin } from '../kit/desk.ts'
import { askPerson, parts } from '../kit/script.ts'
import { openSocket } from '../kit/streams.ts'
import { createWorld, type World } from '../kit/world.ts'

interface Place {
  table: string
  key: string
  column: string
}

const met = async (world: World): Promise<Place[]> =>
  (await world.ok<{ unreadable: Place[] }>('GET', '/api/status')).unreadable

/** Lines of the log about rows that were put aside. */
const logged = (world: World): Place[] =>
  readFileSync(join(world.home, 'logs', 'troupe.log'), 'utf8')
    .split('\n')
    .filter((line) => line.includes('cannot be read'))
    .map((line) => JSON.parse(line))

describe.each(stores)('a row that cannot be read, on %s,', (store) => {
  test('is put aside and told once, and the rest is served', async () => {
    const world = await createWorld({ store })
    parts(world, { Start: [{ calls: [askPerson] }, { text: 'Thank you.' }] })
    const other = await world.session({ title: 'whole' })
    const { id } = await world.session({ attributes: { colour: 'red' } })
    await world.say(id, 'Start')
    const begin = (await world.events())[0]!
    const { store: rows } = world.server.core
    const broken = '{"half'
    await rows.write(async (db) => {
      await db
        .updateTable('messages')
        .set({ parts: broken })
        .where('session_id', '=', id)
        .where('seq', '=', 1)
        .execute()
      await db.updateTable('sessions').set({ attributes: broken }).where('id', '=', id).execute()
      await db.updateTable('inbox').set({ options: broken }).where('session_id', '=', id).execute()
      await db.updateTable('events').set({ data: broken }).where('type', '=', 'turn.started').execute()
    })
    await settleEvents(rows)

    for (let time = 0; time < 3; time++) {
      const [first, second] = await world.messages(id)
      expect(textOf(first!.parts)).toContain('could not be read')
      expect(second!.role).toBe('assistant')
      const { items } = await world.ok<{ items: { id: string; attributes: unknown }[] }>('GET', '/api/sessions')
      expect(items.map(({ id }) => id).sort()).toEqual([id, other.id].sort())
      expect(await world.inbox()).toHaveLength(1)
      const types = (await world.events()).map(({ type }) => type)
      expect([types.includes('turn.started'), types.includes('call.parked')]).toEqual([false, true])
    }
    // A page of nothing but the unreadable is no end.
    const all: Event[] = []
    for (let after = begin.seq, page = 0; page < 30; page++) {
      const path = `/api/events?limit=1&after=${encodeURIComponent(after)}`
      const { items, seq } = await world.ok<{ items: Event[]; seq: string }>('GET', path)
      all.push(...items)
      after = seq
    }
    expect(all.map(({ type }) => type)).toContain('call.parked')
    const socket = await openSocket(world, `?after=${encodeURIComponent(begin.seq)}`)
    await socket.until(({ events }) => events.some(({ type }) => type === 'call.parked'))

    const [item] = await world.inbox()
    const mine = (places: readonly Place[]) =>
      places.filter(({ key }) => key.includes(id) || key === item!.id).map(({ table, column }) => `${table} ${column}`)
    expect(mine(await met(world)).sort()).toEqual(['inbox options', 'messages parts', 'sessions attributes'])
    expect(mine(logged(world)).sort()).toEqual(['inbox options', 'messages parts', 'sessions attributes'])
    expect(logged(world).filter(({ table }) => table === 'events')).toHaveLength(1)

    await world.ok('POST', `/api/inbox/${item!.id}/answer`, { answer: 'Yes' })
    await world.reaches(id, 'idle')
    expect(textOf((await world.messages(id)).at(-1)!.parts)).toBe('Thank you.')
  })

  test('holds up nobody when it is a call: a nap ends, why answers, and what was approved is asked for again', async () => {
    let now = Date.now()
    const world = await createWorld({ store, clock: { now: () => now } })
    const { core } = world.server
    parts(world, {
      Nap: [{ calls: [{ name: 'sleep', input: { seconds: 100 } }] }, { text: 'Rested.' }],
      Run: [{ calls: [{ name: 'bash', input: { command: 'touch ran' } }] }, { text: 'Tried.' }],
    })
    const [napping, running] = [await world.session(), await world.session()]
    const nap = await world.send(napping.id, 'Nap')
    await world.reaches(napping.id, 'waiting')
    await world.say(running.id, 'Run')
    await core.store.write(async (db) => {
      await db.updateTable('timers').set({ payload: '{"half' }).where('session_id', '=', napping.id).execute()
      await db.updateTable('calls').set({ input: '{"half', waits_for: '{"half' }).execute()
    })
    expect(await world.ok('GET', `/api/why/${running.id}`)).toMatchObject({ state: 'waiting' })
    const [item] = await world.inbox()
    await world.ok('POST', `/api/inbox/${item!.id}/answer`, { decision: 'once' })
    await world.reaches(running.id, 'idle')
    expect(existsSync(join(world.project, 'ran'))).toBe(false)

    expect(JSON.stringify(await world.results(running.id))).toContain('bash')

    now += 200_000
    core.alarm(0)
    expect(await world.settled(nap.mailId)).toMatchObject({ end: 'done', reply: 'Rested.' })
    expect(await world.results(napping.id)).toEqual(['The time is up.'])
  })
})

test('"troupe status" and "troupe doctor" say which rows cannot be read', async () => {
  const world = await createWorld()
  const { id } = await world.session()
  await world.server.core.store.write((db) =>
    db.updateTable('sessions').set({ attributes: 'no' }).where('id', '=', id).execute(),
  )
  await world.look(id)
  const run = (...words: string[]): Promise<string> => {
    const env = { PATH: process.env.PATH, TROUPE_HOME: world.home, NO_COLOR: '1' }
    const running = promisify(execFile)(process.execPath, [bin, ...words], { cwd: world.project, env })
    return running.then(({ stdout }) => stdout).catch((failed: { stdout: string }) => failed.stdout)
  }
  expect(await run('status')).toContain('cannot be read: "troupe doctor"')
  expect((await run('doctor')).replaceAll(/\s+/g, ' ')).toContain(`sessions ${id} (attributes)`)
})
