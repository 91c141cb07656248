import { expect, test } from 'vitest'
import { whyNotHere } from '../../src/core/sessions/index.ts'
import { openTurn } from '../../src/core/turns/turn.ts'
import { findSession } from '../../src/store/sessions.ts'
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

/** About as many as a message, a call, its result and the answer take, with those of whoever waits for it. */
const COMMITS = 14

test.for([
  ['before', 'did not hear of'],
  ['after', 'has done'],
] as const)('a conversation whose commits are cut %s the database acts is as if none had been', async ([when]) => {
  const { wire, world } = await wiredWorld()
  world.vendor.script(({ messages }) =>
    messages.at(-1)?.role === 'tool' ? { text: 'Read.' } : { calls: [{ name: 'read_file', input: { path: 'a.txt' } }] },
  )
  for (let passed = 0; passed < COMMITS; passed += 1) {
    const { id } = await world.session()
    void wire.cutAtCommit(when, passed)
    const said = await world.say(id, `Read after ${passed}`)
    expect([passed, said.end, said.reply]).toEqual([passed, 'done', 'Read.'])
    const roles = (await world.messages(id)).map(({ role }) => role)
    expect([passed, ...roles]).toEqual([passed, 'user', 'assistant', 'tool', 'assistant'])
    const turns = (await world.events(id)).filter(({ type }) => type.startsWith('turn.')).map(({ type }) => type)
    expect([passed, ...turns]).toEqual([passed, 'turn.started', 'turn.ended'])
  }
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

test('a database that is away says nothing against an agent: its turn is neither ended nor left to another host', async () => {
  const { wire, world, session } = await wiredWorld()
  const { core } = world.server
  const row = (await findSession(core.store.read, session.id))!
  const lease = { sessionId: row.id, fence: row.fence, signal: new AbortController().signal, alone: false }
  wire.fell()
  const tried = await Promise.allSettled([openTurn(core, lease, row), whyNotHere(core, row)])
  expect(tried.map((one) => one.status === 'rejected' && one.reason.code)).toEqual(['store.away', 'store.away'])
  wire.mend()
})
