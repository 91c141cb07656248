import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { ServerStatus } from '../../src/contract/server.ts'
import { type StoreKind, stores } from '../kit/database.ts'
import { createWorld, type World } from '../kit/world.ts'

const MAILS = 2000
const TEXT = 'x'.repeat(20_000)

describe.each(stores)('on %s', (store) => {
  test('a full disk is answered with 507, loses nothing, and work goes on by itself once there is space', async () => {
    const world = await createWorld({ store })
    const streaming = Promise.withResolvers<void>()
    const filled = Promise.withResolvers<void>()
    world.vendor.script(({ lastUserText }) => {
      if (!lastUserText.includes('Answer at length')) return { text: 'Short.' }
      streaming.resolve()
      return { text: TEXT, delay: filled.promise }
    })
    // One turn is in flight when the disk fills; another session takes what is sent.
    const working = await world.session()
    const box = await world.session()
    await world.ok('POST', `/api/sessions/${box.id}/pause`)
    await world.reaches(box.id, 'paused')
    const { mailId } = await world.send(working.id, 'Answer at length')
    await streaming.promise
    await fill(world, store)

    const accepted: string[] = []
    let refusal: { status: number; body: unknown } | undefined
    for (let sent = 0; sent < MAILS && refusal === undefined; sent += 1) {
      const path = `/api/sessions/${box.id}/messages`
      const answer = await world.request<{ mailId: string }>('POST', path, { content: TEXT, clientId: `mail-${sent}` })
      if (answer.status < 300) accepted.push(answer.body.mailId)
      else refusal = answer
    }
    expect(refusal).toMatchObject({
      status: 507,
      body: { error: { code: 'store.full', message: expect.stringContaining('is full'), hint: expect.any(String) } },
    })
    const trouble = async () => (await world.ok<ServerStatus>('GET', '/api/status')).store.trouble
    expect(await trouble()).toMatchObject({ since: expect.any(String), message: expect.stringContaining('full') })
    // What is there can still be read.
    expect((await world.request('GET', `/api/sessions/${box.id}`)).status).toBe(200)
    filled.resolve()
    await world.eventually(async () => logOf(world).includes('a turn waits for the store'))
    expect((await world.look(working.id)).status).toBe('running')

    await empty(world, store)
    const again = await world.request('POST', `/api/sessions/${box.id}/messages`, { content: 'Now?' })
    expect(again.status).toBe(202)
    expect(await trouble()).toBeUndefined()
    expect(await world.settled(mailId)).toMatchObject({ end: 'done', reply: TEXT })
    const waiting = await world.ok<{ items: { id: string }[] }>('GET', `/api/mail?session=${box.id}`)
    expect(waiting.items.map(({ id }) => id)).toEqual(expect.arrayContaining(accepted))
    expect((await world.messages(working.id)).map(({ role }) => role)).toEqual(['user', 'assistant'])
  })
})

/** Little space is left, or, on a server of its own, none: it says so in its own way. */
const fill = async (world: World, store: StoreKind): Promise<void> => {
  if (store === 'postgres') {
    await run(
      world,
      `create function full_disk() returns trigger language plpgsql as $$
        begin raise exception 'could not extend file: No space left on device' using errcode = 'disk_full'; end $$`,
    )
    return run(world, 'create trigger full_disk before insert on events execute function full_disk()')
  }
  const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(world.server.core.store.read)
  await run(world, `pragma max_page_count = ${rows[0]!.page_count + 50}`)
}

const empty = (world: World, store: StoreKind): Promise<void> =>
  run(world, store === 'postgres' ? 'drop trigger full_disk on events' : 'pragma max_page_count = 1073741823')

async function run(world: World, statement: string): Promise<void> {
  await world.server.core.store.write((db) => sql.raw(statement).execute(db))
}

const logOf = (world: World): string => readFileSync(join(world.home, 'logs', 'troupe.log'), 'utf8')
