import { describe, expect, test } from 'vitest'
import type { Session } from '../../src/contract/sessions.ts'
import { cast, requestAs } from '../kit/cast.ts'
import { type StoreKind, storesInTurn } from '../kit/database.ts'
import { mails } from '../kit/records.ts'
import { createWorld, type World } from '../kit/world.ts'

/** Ann may address every session; there is one of ben and one of cyd. */
async function company(store: StoreKind): Promise<{ world: World; ann: Session; ben: Session; cyd: Session }> {
  const anyone = { permissions: { allow: ['agent_send(session:*)', 'session_read'] } }
  const world = await createWorld({ store, files: cast({ ann: anyone, ben: {}, cyd: {} }) })
  const [ann, ben, cyd] = [
    await world.session({ agent: 'ann' }),
    await world.session({ agent: 'ben' }),
    await world.session({ agent: 'cyd' }),
  ] as const
  return { world, ann, ben, cyd }
}

const denied = (world: World, decision: string, rule: string) =>
  world.ok('POST', '/api/permissions', { decision, rule })

describe.each(storesInTurn(import.meta.filename))('a rule that names a session, on %s', (store) => {
  test('holds however the session is addressed, by tools and by the session’s token', async () => {
    const { world, ann, ben } = await company(store)
    await denied(world, 'deny', `agent_send(session:${ben.id.slice(0, 8)})`)
    const ways = [
      { to: ben.id.slice(0, 4) },
      { to: ben.id.slice(0, 12) },
      { to: ben.id },
      { to: ben.id.toUpperCase() },
      { to: `session:${ben.handle}` },
      { to: 'ben' },
      { to: 'ben', session: 'latest' },
      { to: 'ben', session: ben.id.slice(0, 6) },
    ]
    for (const way of ways) {
      const sent = await requestAs(world, ann, 'POST', '/api/mail', { ...way, content: 'Hi' })
      expect(sent.body, JSON.stringify(way)).toMatchObject({ error: { code: 'permission.denied' } })
      const asked = await requestAs(world, ann, 'POST', '/api/mail', { ...way, content: 'Hi', ask: true, wait: 1 })
      expect(asked.body, JSON.stringify(way)).toMatchObject({ error: { code: 'permission.denied' } })
    }
    const calls = [
      ...ways.map((way) => ({ name: 'agent_send', input: { ...way, message: 'Hi' } })),
      ...ways.map((way) => ({ name: 'agent_message', input: { ...way, message: 'Hi' } })),
      { name: 'switch_to', input: { agent: 'ben', message: 'Hi' } },
    ]
    world.vendor.queue({ model: 'ann' }, { calls }, { text: 'Done.' })
    await world.say(ann.id, 'Go')
    const results = await world.results(ann.id)
    expect(results).toHaveLength(calls.length)
    for (const result of results) expect(result).toContain('Not permitted: rule deny "agent_send(session:')
    expect((await mails(world)).filter(({ session_id }) => session_id === ben.id)).toEqual([])
  })

  test('means no other session, and an agent’s new one is another', async () => {
    const { world, ann, ben, cyd } = await company(store)
    await denied(world, 'deny', `agent_send(session:${ben.handle})`)
    world.vendor.queue({ model: 'ann' }, { text: 'Done.' })
    for (const way of [{ to: cyd.id }, { to: 'cyd' }, { to: 'ben', session: 'create' }]) {
      const sent = await requestAs(world, ann, 'POST', '/api/mail', { ...way, content: 'Hi' })
      expect(sent.body, JSON.stringify(way)).toMatchObject({ mailId: expect.any(String) })
    }
  })

  test('may ask instead, and may be about reading', async () => {
    const { world, ann, ben } = await company(store)
    await denied(world, 'ask', `agent_send(session:${ben.handle})`)
    await denied(world, 'deny', `session_read(session:${ben.id})`)
    world.vendor.queue(
      { model: 'ann' },
      { calls: [{ name: 'session_read', input: { session: ben.handle } }] },
      { calls: [{ name: 'agent_send', input: { to: 'ben', message: 'Hi' } }] },
    )
    expect((await world.say(ann.id, 'Go')).waits).toMatchObject([{ tool: 'agent_send', kind: 'approval' }])
    expect(await world.results(ann.id)).toEqual([expect.stringContaining('Not permitted: rule deny "session_read')])
  })
})
