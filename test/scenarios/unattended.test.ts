import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Unattended } from '../../src/contract/sessions.ts'
import { causeOf } from '../../src/core/mail/chains.ts'
import type { MailRow, TurnRow } from '../../src/store/tables.ts'
import { cast, requestAs } from '../kit/cast.ts'
import { type StoreKind, storesInTurn } from '../kit/database.ts'
import { atRest, sessionOf } from '../kit/records.ts'
import { ask, askPerson, nap, spawn } from '../kit/script.ts'
import { createWorld, type World } from '../kit/world.ts'

const bash = (command: string) => ({ name: 'bash', input: { command } })

/** Lea gives work to cody, whose commands have to be asked for. */
const team = (store: StoreKind, unattended: Unattended): Promise<World> =>
  createWorld({ store, settings: { permissions: { unattended } }, files: cast({ lea: {}, cody: {} }) })

describe.each(storesInTurn(import.meta.filename))('work that nobody attends to, on %s', (store) => {
  test('is only what was started so: in a person’s own conversation they are asked, whatever the policy', async () => {
    for (const policy of ['deny', 'allow'] as const) {
      const world = await team(store, policy)
      world.vendor.queue({ model: 'cody' }, { calls: [bash('touch ran')] })
      const session = await world.session({ agent: 'cody' })
      expect((await world.say(session.id, 'Go')).waits, policy).toMatchObject([{ kind: 'approval' }])
      expect(existsSync(join(world.project, 'ran'))).toBe(false)
    }
  })

  test('goes by the policy: refused, allowed, or left until the person is back', async () => {
    for (const [policy, seen] of [
      ['deny', expect.stringContaining('Nobody is there')],
      ['allow', 'ran'],
    ] as const) {
      const world = await team(store, policy)
      world.vendor.queue({ model: 'cody' }, { calls: [bash('echo ran')] }, { text: 'Done.' })
      const session = await world.session({ agent: 'cody' })
      expect(await world.say(session.id, 'Go', { unattended: 'settings' }), policy).toMatchObject({ reply: 'Done.' })
      expect(await world.results(session.id), policy).toEqual([seen])
    }
    const world = await team(store, 'wait')
    world.vendor.queue({ model: 'cody' }, { calls: [bash('echo ran')] })
    const session = await world.session({ agent: 'cody' })
    expect((await world.say(session.id, 'Go', { unattended: 'settings' })).waits).toHaveLength(1)
  })

  test('may be all that a session does, by a policy that it was made with', async () => {
    const world = await team(store, 'allow')
    world.vendor.queue({ model: 'cody' }, { calls: [bash('echo ran')] }, { text: 'Done.' })
    const session = await world.session({ agent: 'cody', unattended: 'deny' })
    expect(await world.say(session.id, 'Go')).toMatchObject({ reply: 'Done.' })
    expect(await world.results(session.id)).toEqual([expect.stringContaining('Nobody is there')])
  })

  test('with everything allowed runs without asking, save for what changes rights and what a rule denies', async () => {
    const world = await team(store, 'deny')
    await world.ok('POST', '/api/permissions', { decision: 'deny', rule: 'bash(rm*)' })
    world.vendor.queue(
      { model: 'cody' },
      { calls: [bash('echo ran')] },
      { calls: [bash('rm x')] },
      { calls: [{ name: 'write_file', input: { path: '.env', content: 'x' } }] },
      { calls: [bash('touch later')] },
    )
    const session = await world.session({ agent: 'cody' })
    const reply = await world.say(session.id, 'Go', { unattended: 'allow' })
    expect(await world.results(session.id)).toEqual(['ran', expect.stringContaining('Not permitted')])
    expect(reply.waits).toMatchObject([{ tool: 'write_file', kind: 'approval' }])
    // Whoever answers is there, and is asked from then on.
    const [item] = await world.inbox()
    await world.ok('POST', `/api/inbox/${item!.id}/answer`, { decision: 'once' })
    const next = await world.eventually(async () => (await world.inbox()).find(({ id }) => id !== item!.id))
    expect([next.title, existsSync(join(world.project, 'later'))]).toEqual([expect.stringContaining('bash'), false])
  })

  test('hands it on to whatever it spawns and asks, and to what comes of that', async () => {
    const world = await team(store, 'deny')
    world.vendor.queue(
      { model: 'lea' },
      { calls: [spawn('cody', 'Work on it', { wait: false })] },
      { text: 'It is at work.' },
      // The notice of the child's end is a turn of its own.
      { calls: [bash('touch later')] },
      { calls: [ask('cody', 'And you?')] },
      { text: 'Done.' },
    )
    world.vendor.queue(
      { model: 'cody' },
      { calls: [bash('touch child')] },
      { text: 'Refused.' },
      { calls: [bash('touch asked')] },
      { text: 'Refused too.' },
    )
    const lea = await world.session({ agent: 'lea' })
    await world.say(lea.id, 'Go', { unattended: 'settings' })
    await world.eventually(async () => world.vendor.requests.length >= 9)
    await atRest(world)
    expect(await world.inbox()).toEqual([])
    for (const name of ['child', 'later', 'asked']) expect(existsSync(join(world.project, name)), name).toBe(false)
    const denied = (await world.events()).filter(({ type }) => type === 'tool.denied')
    expect(denied).toHaveLength(3)
  })

  test('is attended to again once a person writes into it', async () => {
    const world = await team(store, 'deny')
    world.vendor.queue({ model: 'cody' }, { calls: [nap] }, { calls: [bash('touch ran')] })
    const session = await world.session({ agent: 'cody' })
    await world.send(session.id, 'Go', { unattended: 'settings' })
    await world.reaches(session.id, 'waiting')
    expect((await world.say(session.id, 'I am back')).waits).toMatchObject([{ tool: 'bash', kind: 'approval' }])
  })

  test('that is on its way elsewhere stays unattended when a person writes to whoever gave it', async () => {
    const world = await team(store, 'deny')
    const gate = Promise.withResolvers<void>()
    const told = { calls: [bash('touch child')], delay: gate.promise }
    world.vendor.queue({ model: 'cody' }, told, { text: 'Refused.' })
    const given = { calls: [spawn('cody', 'Work on it', { wait: false })] }
    world.vendor.queue({ model: 'lea' }, given, { text: 'It is at work.' }, { calls: [bash('touch own')] })
    const lea = await world.session({ agent: 'lea' })
    await world.say(lea.id, 'Go', { unattended: 'settings' })
    expect((await world.say(lea.id, 'I am back')).waits).toMatchObject([{ tool: 'bash', kind: 'approval' }])
    gate.resolve()
    await atRest(world)
    expect(await world.results((await sessionOf(world, 'cody')).id)).toEqual([
      expect.stringContaining('Nobody is there'),
    ])
    expect(await world.inbox()).toHaveLength(1)
  })

  test('is attended to again once a person answers a question, in words or in the inbox', async () => {
    for (const inWords of [true, false]) {
      const world = await team(store, 'deny')
      world.vendor.queue({ model: 'cody' }, { calls: [askPerson] }, { calls: [bash('touch ran')] })
      const session = await world.session({ agent: 'cody' })
      const { mailId } = await world.say(session.id, 'Go', { unattended: 'allow' })
      const [item] = await world.inbox()
      if (inWords) await world.send(session.id, 'That one')
      else await world.ok('POST', `/api/inbox/${item!.id}/answer`, { answer: 'That one' })
      const open = await world.eventually(async () => (await world.inbox()).find(({ kind }) => kind === 'approval'))
      expect(open.title).toContain('bash')
      expect(await world.settled(mailId)).toMatchObject({ ended: false })
      expect(existsSync(join(world.project, 'ran'))).toBe(false)
    }
  })

  test('does not spread to a turn that others began, by what comes of it', () => {
    const turn = { chain_id: 'chain_1', hops: 1, cause: 'agent' } as TurnRow
    causeOf(turn, [{ from_kind: 'system', chain_id: 'allowed_1', hops: 2 } as MailRow])
    expect(turn).toMatchObject({ chain_id: 'chain_1', hops: 2 })
    const alone = { chain_id: 'allowed_1', hops: 1, cause: 'agent' } as TurnRow
    causeOf(alone, [{ from_kind: 'agent', chain_id: 'chain_1', hops: 2 } as MailRow])
    expect(alone).toMatchObject({ chain_id: 'chain_1', hops: 2 })
  })

  test('is a person’s to start: a session’s token may not', async () => {
    const world = await team(store, 'wait')
    const lea = await world.session({ agent: 'lea' })
    for (const alone of [{ unattended: 'settings' }, { unattended: 'allow' }, { questions: 'first' }]) {
      const refused = await requestAs(world, lea, 'POST', '/api/mail', { to: 'cody', content: 'Go', ...alone })
      expect(refused).toMatchObject({ status: 403, body: { error: { code: 'auth.forbidden' } } })
    }
    expect(await world.events()).not.toContainEqual(expect.objectContaining({ type: 'mail.accepted' }))
  })
})
