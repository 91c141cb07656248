import { describe, expect, test } from 'vitest'
import { asked } from '../kit/asks.ts'
import { stores } from '../kit/database.ts'

describe.each(stores)('a call whose row cannot be read, on %s', (store) => {
  test.each(['{"half', 'null', '[]'])('that says %s for what it waits gets its answer', async (broken) => {
    const { world, ann, mail, gate } = await asked(store)
    await world.server.core.store.write((db) => db.updateTable('calls').set({ waits_for: broken }).execute())
    expect((await world.ok<{ text: string }>('GET', `/api/why/${ann.id}`)).text).toContain(
      'waits for the answer of ben',
    )
    gate.resolve()
    expect(await world.settled(mail.mailId)).toMatchObject({ end: 'done', reply: 'Thanks.' })
    expect(await world.results(ann.id)).toMatchObject([{ status: 'complete', response: 'It is.' }])
  })

  test.each(['{"half', 'null'])('that says %s for what it waits can be canceled', async (broken) => {
    const { world, ann, gate } = await asked(store)
    await world.server.core.store.write((db) => db.updateTable('calls').set({ waits_for: broken }).execute())
    await world.ok('POST', `/api/sessions/${ann.id}/cancel`)
    await world.reaches(ann.id, 'idle')
    gate.resolve()
  })
})
