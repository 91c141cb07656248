import { expect, test } from 'vitest'
import { createWorld } from '../kit/world.ts'

const SESSIONS = 50
const TAKEN = 10
const WINDOW_MS = 1000

test('50 sessions on an account that takes 10 requests a window all finish, with few calls wasted', async () => {
  const world = await createWorld()
  let began = 0
  let taken = 0
  let wasted = 0
  world.vendor.script(() => {
    const now = performance.now()
    if (now - began >= WINDOW_MS) {
      began = now
      taken = 0
    }
    if (taken < TAKEN) {
      taken += 1
      return { text: 'Done.' }
    }
    wasted += 1
    return { error: { kind: 'rate-limit', retryAfter: (began + WINDOW_MS - now) / 1000 } }
  })
  const sessions = await Promise.all(Array.from({ length: SESSIONS }, () => world.session()))
  const replies = await Promise.all(sessions.map(({ id }) => world.say(id, 'hello', { wait: 60 })))
  expect(replies.map(({ end, reply }) => [end, reply])).toEqual(sessions.map(() => ['done', 'Done.']))
  expect(wasted).toBeLessThan(SESSIONS)
})

test('a session that waits for its account is cancelled at once, and the account shows who waits', async () => {
  const world = await createWorld()
  world.vendor.reply({ error: { kind: 'rate-limit', retryAfter: 60 } })
  const first = await world.session()
  await world.say(first.id, 'hello', { wait: false })
  await world.eventually(async () => (await world.events(first.id)).some(({ type }) => type === 'model.retried'))

  const second = await world.session()
  await world.say(second.id, 'hello', { wait: false })
  await world.eventually(async () => {
    const { body } = await world.request<{ items: { waiting: number }[] }>('GET', '/api/accounts')
    return body.items[0]?.waiting === 1
  })
  for (const { id } of [first, second]) {
    await world.request('POST', `/api/sessions/${id}/cancel`)
    const ended = await world.eventually(async () => (await world.events(id)).find(({ type }) => type === 'turn.ended'))
    expect(ended.data).toMatchObject({ end: 'canceled' })
  }
  expect(world.vendor.requests).toHaveLength(1)
  const { body } = await world.request<{ items: { waiting: number }[] }>('GET', '/api/accounts')
  expect(body.items[0]?.waiting).toBe(0)
})
