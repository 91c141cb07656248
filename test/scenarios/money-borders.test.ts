import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Cost } from '../../src/contract/cost.ts'
import type { Session } from '../../src/contract/sessions.ts'
import { act } from '../kit/cast.ts'
import { stores } from '../kit/database.ts'
import { atRest, taskOf } from '../kit/records.ts'
import { dollar, parts, price, spawn } from '../kit/script.ts'
import { createWorld } from '../kit/world.ts'

describe.each(stores)('on %s', (store) => {
  test('what a promoted child gives others to do is its own to pay, and its maker’s no longer', async () => {
    const world = await createWorld({ store })
    price(world)
    const gate = Promise.withResolvers<void>()
    parts(world, {
      Start: [{ calls: [spawn('coder', 'Work')], ...dollar }, { text: 'Thanks.' }],
      Work: [
        { text: 'Done.', delay: gate.promise, ...dollar },
        { calls: [spawn('writer', 'More')], ...dollar },
        { text: 'And that.' },
      ],
      More: [{ text: 'More.', ...dollar }],
    })
    const maker = await world.session()
    const mail = await world.send(maker.id, 'Start')
    const { session_id } = await taskOf(world, 'Work', 'processing')
    await act(world, session_id, 'promote')
    gate.resolve()
    await world.settled(mail.mailId)
    const before = await world.look(maker.id)
    expect(await world.say(session_id, 'Go on')).toMatchObject({ end: 'done', reply: 'And that.' })
    await atRest(world)
    expect((await world.look(session_id)).totalCostUsd).toBeCloseTo(3)
    expect((await world.look(maker.id)).totalCostUsd).toBe(before.totalCostUsd)
    expect(before.totalCostUsd).toBeCloseTo(2)
  })
})

test('what was spent is told of one project alone, or of all', async () => {
  const world = await createWorld()
  price(world)
  world.vendor.script(() => ({ text: 'Yes.', ...dollar }))
  const other = mkdtempSync(join(world.home, 'other-'))
  const there = `?project=${encodeURIComponent(other)}`
  const { id } = await world.ok<Session>('POST', `/api/sessions${there}`, { agent: 'writer' })
  for (const session of [id, (await world.session()).id]) await world.say(session, 'Hello')
  const agents = async (query: string) =>
    (await world.ok<{ items: Cost[] }>('GET', `/api/cost${query}&by=agent`)).items.map(({ key }) => key).sort()
  expect(await agents(there)).toEqual(['writer'])
  expect(await agents('?project=*')).toEqual(['assistant', 'writer'])
  const today = async (query: string) => (await world.ok('GET', `/api/status${query}`)).costTodayUsd
  expect(await today(there)).toBeCloseTo(1)
  expect(await today('?project=*')).toBeCloseTo(2)
})
