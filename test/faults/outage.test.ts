import { expect, test } from 'vitest'
import type { Reply } from '../../src/contract/api.ts'
import { stores } from '../kit/database.ts'
import { createWorld } from '../kit/world.ts'

test.for(stores)('mail held behind a turn that fails starts one more turn, and no third, on %s', async (store) => {
  const world = await createWorld({ store })
  const asked = Promise.withResolvers<void>()
  const sent = Promise.withResolvers<void>()
  world.vendor.script(() => {
    asked.resolve()
    return { error: { kind: 'auth' }, delay: sent.promise }
  })
  const session = await world.session()
  const path = `/api/sessions/${session.id}/messages`
  await world.request('POST', path, { content: 'First' })
  await asked.promise
  const held = await world.request<Reply>('POST', path, { content: 'Then', followup: true })
  expect(held.body.outcome).toBe('held')
  sent.resolve()
  const reply = await world.request<Reply>('GET', `/api/mail/${held.body.mailId}?wait=20`)
  expect(reply.body).toMatchObject({ state: 'taken', ended: true, end: 'error' })
  expect(world.vendor.requests.length).toBe(2)
  expect((await world.events(session.id)).filter(({ type }) => type === 'turn.started').length).toBe(2)
})
