import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { follow } from '../../src/client/live.ts'
import { fetchTransport } from '../../src/client/transport.ts'
import type { Event } from '../../src/contract/events.ts'
import { heard } from '../kit/records.ts'
import { createWorld, type World } from '../kit/world.ts'

const at = ({ server }: World) => createClient({ transport: fetchTransport(server.url), token: server.token })

test('a client that follows goes on from a new snapshot when the server comes back with a backup', async () => {
  const world = await createWorld({ store: 'sqlite' })
  const { id } = await world.session()
  await world.say(id, 'Hello')
  const { file } = await world.ok<{ file: string }>('POST', '/api/backup')
  const client = at(world)
  const { seq } = await client.snapshot('GET /api/sessions/{ref}', { params: { ref: id } })
  const seen: Event[] = []
  let anew = 0
  const live = await follow(
    client,
    { session: id, after: seq },
    {
      event: (event) => void seen.push(event),
      async anew() {
        anew += 1
        return (await at(world).snapshot('GET /api/sessions/{ref}', { params: { ref: id } })).seq
      },
    },
    { find: async () => world.server.url },
  )
  await world.say(id, 'This will be gone')
  await world.eventually(async () => seen.some(({ type }) => type === 'turn.ended'))
  await world.server.stop()
  const data = join(world.home, 'data.db')
  for (const end of ['-wal', '-shm']) rmSync(`${data}${end}`, { force: true })
  copyFileSync(file, data)
  await world.restart()
  await world.say(id, 'And now this, which makes it as long as it was')
  await world.say(id, 'And longer')
  seen.length = 0
  await world.eventually(async () => anew === 1)
  await world.say(id, 'News')
  await world.eventually(async () => seen.some(({ type }) => type === 'turn.ended'))
  expect((await world.messages(id)).length).toBe(8)
  live.close()
  await live.ended
})

test('a backup under load holds every message that was acknowledged before it began', async () => {
  const world = await createWorld({ store: 'sqlite' })
  const sessions = await Promise.all(Array.from({ length: 8 }, () => world.session()))
  const acknowledged: { mailId: string; to: string; content: string }[] = []
  let backup: Promise<{ file: string }> | undefined
  let before: typeof acknowledged = []
  const talk = async ({ id }: { id: string }): Promise<void> => {
    for (let index = 0; index < 25; index++) {
      const content = `Number ${index} of ${id}`
      acknowledged.push({ mailId: (await world.send(id, content)).mailId, to: id, content })
      if (acknowledged.length < 80 || backup !== undefined) continue
      before = [...acknowledged]
      backup = world.ok<{ file: string }>('POST', '/api/backup')
    }
  }
  await Promise.all(sessions.map(talk))
  const { file } = await backup!
  await world.server.stop()
  const data = join(world.home, 'data.db')
  for (const end of ['-wal', '-shm']) rmSync(`${data}${end}`, { force: true })
  copyFileSync(file, data)
  const copy = new DatabaseSync(data)
  expect(copy.prepare('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' })
  const kept = new Set(
    copy
      .prepare('select id from mail')
      .all()
      .map(({ id }) => id),
  )
  copy.close()
  expect(before.length).toBeGreaterThanOrEqual(80)
  expect(before.filter(({ mailId }) => !kept.has(mailId))).toEqual([])
  await world.restart()
  await world.eventually(async () =>
    (await Promise.all(sessions.map(({ id }) => world.look(id)))).every(({ status }) => status === 'idle'),
  )
  for (const session of sessions) {
    const sent = before.filter(({ to }) => to === session.id).map(({ content }) => content)
    expect(await heard(world, session)).toEqual(expect.arrayContaining(sent))
  }
})
