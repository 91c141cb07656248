import { expect, test } from 'vitest'
import { createWire } from '../kit/wire.ts'
import { createWorld } from '../kit/world.ts'

async function wiredWorld() {
  const wire = createWire()
  const world = await createWorld({ store: 'postgres', wire: wire.to })
  return { wire, world, session: await world.session() }
}

test('a turn goes on through connections that break at every moment, and does nothing twice', async () => {
  const { wire, world, session } = await wiredWorld()
  world.vendor.script(({ lastUserText }) => {
    // The connections break while a model answers, and again while the answer is written.
    wire.cut()
    return { text: `Heard: ${lastUserText}` }
  })
  for (const at of [1, 2, 3, 4, 5]) {
    const { mailId } = await world.send(session.id, `Message ${at}`)
    wire.cut()
    expect(await world.settled(mailId)).toMatchObject({ end: 'done', reply: expect.stringContaining(`Message ${at}`) })
  }
  expect((await world.messages(session.id)).map(({ role }) => role)).toEqual(
    Array(5).fill(['user', 'assistant']).flat(),
  )
})

test.for([
  ['before', 'did not hear of'],
  ['after', 'has done'],
] as const)('mail whose commit is cut %s the database acts is accepted exactly once', async ([when]) => {
  const { wire, world, session } = await wiredWorld()
  await world.ok('POST', `/api/sessions/${session.id}/pause`)
  for (let at = 1; at <= 5; at += 1) {
    const cut = wire.cutAtCommit(when)
    await world.ok('POST', `/api/sessions/${session.id}/messages`, { content: `Mail ${at}` })
    await cut
  }
  const { items } = await world.ok<{ items: { content: string }[] }>('GET', `/api/mail?session=${session.id}`)
  expect(items.map(({ content }) => content).sort()).toEqual([1, 2, 3, 4, 5].map((at) => `Mail ${at}`))
})

test('while the database is away requests are told so with 503, and the turn in flight goes on when it is back', async () => {
  const { wire, world, session } = await wiredWorld()
  const streaming = Promise.withResolvers<void>()
  const fallen = Promise.withResolvers<void>()
  world.vendor.script(() => {
    streaming.resolve()
    return { text: 'Done at last.', delay: fallen.promise }
  })
  const { mailId } = await world.send(session.id, 'Work')
  await streaming.promise
  wire.fell()
  fallen.resolve()
  const refused = await world.call('GET', `/api/sessions/${session.id}`)
  expect([refused.status, refused.json.error.code, refused.json.error.hint]).toEqual([
    503,
    'store.away',
    expect.stringContaining('by itself'),
  ])
  expect((await world.call('GET', '/api/health')).status).toBe(200)
  wire.mend()
  expect(await world.settled(mailId)).toMatchObject({ end: 'done', reply: 'Done at last.' })
  expect((await world.messages(session.id)).map(({ role }) => role)).toEqual(['user', 'assistant'])
})
