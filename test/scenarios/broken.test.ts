import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { textOf } from '../../src/contract/messages.ts'
import { advance } from '../../src/core/turns/advance.ts'
import { endBroken } from '../../src/core/turns/broken.ts'
import { openTurn } from '../../src/core/turns/turn.ts'
import { busyWorld, claim } from '../faults/runners.ts'
import { type StoreKind, storesInTurn } from '../kit/database.ts'
import { createWorld, type World } from '../kit/world.ts'

const command = { name: 'bash', input: { command: 'echo made > made.txt' } }

/** A session of an agent whose definition can be broken and repaired. */
async function poet(store: StoreKind) {
  const world = await createWorld({ store })
  const file = join(world.home, 'agents', 'poet', 'agent.json')
  const define = (text: string) => {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  const repair = () => define('{"description": "Writes poems."}')
  repair()
  return { world, session: await world.session({ agent: 'poet' }), broken: () => define('{"description": 7'), repair }
}

const sentence = expect.stringContaining('agent.json')

const typesOf = async (world: World, session: string) => (await world.events(session)).map(({ type }) => type)

describe.each(storesInTurn(import.meta.filename))('an agent whose definition broke, on %s', (store) => {
  test('takes its mail and ends its turn with the sentence, and asks no model', async () => {
    const { world, session, broken, repair } = await poet(store)
    broken()
    expect(await world.say(session.id, 'Hi')).toMatchObject({ ended: true, end: 'error', reason: sentence })
    expect(await world.look(session.id)).toMatchObject({ status: 'error', reason: sentence, costUsd: 0 })
    expect((await world.messages(session.id)).map(({ parts }) => textOf(parts))).toEqual(['Hi'])
    const types = await typesOf(world, session.id)
    expect(types.filter((type) => /^(turn|model|mail)\./.test(type))).toEqual([
      'mail.accepted',
      'turn.started',
      'mail.taken',
      'turn.ended',
    ])
    expect(world.vendor.requests).toEqual([])
    repair()
    expect(await world.say(session.id, 'Again')).toMatchObject({ end: 'done' })
  })

  test('goes on waiting for what it asked; once nothing waits, its calls get a result and none runs', async () => {
    const { world, session, broken, repair } = await poet(store)
    world.vendor.reply({ calls: [command, command] }, { text: 'Here again.' })
    const parked = await world.say(session.id, 'Make it')
    broken()
    const [first, second] = await world.inbox()
    await world.ok('POST', `/api/inbox/${first?.id}/answer`, { decision: 'once' })
    await world.reaches(session.id, 'waiting')
    expect((await world.inbox()).map(({ id }) => id)).toEqual([second?.id])
    await world.ok('POST', `/api/inbox/${second?.id}/answer`, { decision: 'once' })
    await world.reaches(session.id, 'error')
    expect(await world.settled(parked.mailId)).toMatchObject({ end: 'error', reason: sentence })
    expect((await world.results(session.id)).toSorted()).toEqual(['skipped: interrupted', 'skipped: interrupted'])
    expect(await world.inbox()).toEqual([])
    expect(await typesOf(world, session.id)).not.toContain('tool.started')
    repair()
    expect(await world.say(session.id, 'Still there?')).toMatchObject({ end: 'done', reply: 'Here again.' })
  })

  test('does what a person approves after the repair, and what they approved before it', async () => {
    const { world, session, broken, repair } = await poet(store)
    world.vendor.reply({ calls: [command, command] }, { text: 'Made.' })
    const parked = await world.say(session.id, 'Make it')
    const [first, second] = await world.inbox()
    broken()
    await world.ok('POST', `/api/inbox/${first?.id}/answer`, { decision: 'once' })
    await world.reaches(session.id, 'waiting')
    repair()
    await world.ok('POST', `/api/inbox/${second?.id}/answer`, { decision: 'once' })
    expect(await world.settled(parked.mailId)).toMatchObject({ end: 'done', reply: 'Made.' })
    expect((await typesOf(world, session.id)).filter((type) => type === 'tool.started')).toHaveLength(2)
  })

  test.each([
    ['cancel', 'canceled', 'idle'],
    ['close', 'closed', 'closed'],
  ] as const)('obeys a %s first', async (word, end, status) => {
    const { world, session, broken } = await poet(store)
    world.vendor.reply({ calls: [command] })
    const parked = await world.say(session.id, 'Make it')
    broken()
    await world.ok('POST', `/api/sessions/${session.id}/${word}`)
    await world.reaches(session.id, status)
    expect(await world.settled(parked.mailId)).toMatchObject({ end })
  })

  test('pauses when a person asked for it, with its mail unread and its turn open', async () => {
    const world = await busyWorld({ store })
    const { core } = world.server
    for (const isOpen of [false, true]) {
      const session = await world.session()
      const mail = await world.send(session.id, 'Hi')
      const { lease, row } = (await claim(world, session.id, 'another'))!
      const turn = await openTurn(core, lease, row)
      if ('problem' in turn) throw new Error(turn.problem)
      if (isOpen) await advance(turn, {})
      await world.ok('POST', `/api/sessions/${session.id}/pause`)
      await endBroken(core, lease, 'It is broken.')
      expect(await world.look(session.id)).toMatchObject({ status: 'paused' })
      expect(await world.ok('GET', `/api/mail/${mail.mailId}`)).toMatchObject({ state: isOpen ? 'taken' : 'queued' })
      expect(await typesOf(world, session.id)).not.toContain('turn.ended')
    }
  })

  test('takes what was held when nothing else began its turn', async () => {
    const { world, session, broken } = await poet(store)
    world.vendor.reply({ text: 'A long', hang: true })
    const busy = world.streams('A long')
    await world.send(session.id, 'Go')
    await busy
    const held = await world.send(session.id, 'And then this', { followup: true })
    broken()
    await world.ok('POST', `/api/sessions/${session.id}/cancel`)
    expect(await world.settled(held.mailId)).toMatchObject({ end: 'error', reason: sentence })
  })
})
