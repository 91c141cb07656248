import { describe, expect, test } from 'vitest'
import { createClock } from '../kit/clock.ts'
import { storesInTurn } from '../kit/database.ts'
import { parts } from '../kit/script.ts'
import { MINUTE, pass, say, trigger } from '../kit/triggers.ts'
import { createWorld, type World } from '../kit/world.ts'

/** The one open notice, once the same was told so often. */
const told = (world: World, times: number) =>
  world.eventually(async () => {
    const items = await world.inbox()
    return items.some((item) => item.times === times) && items
  })

describe.each(storesInTurn(import.meta.filename))('a storm is one line on %s', (store) => {
  test('of tasks that fail one after another', async () => {
    const world = await createWorld({ store })
    parts(world, { Dig: [{ error: { kind: 'bad-request' } }] })
    for (let at = 1; at <= 4; at += 1)
      await world.ok('POST', '/api/tasks', { agent: 'researcher', input: { prompt: `Dig ${at}` } })
    const [item, ...more] = await told(world, 4)
    expect(more).toEqual([])
    expect(item).toMatchObject({
      kind: 'notice',
      title: expect.stringMatching(/^A task of researcher failed: Dig \d \(4 of the kind\)$/),
    })
    expect(item!.body.match(/Dig \d/g)!.length).toBeGreaterThanOrEqual(3)
  })

  test('of mail that nobody can read any more', async () => {
    const world = await createWorld({ store })
    for (let at = 1; at <= 3; at += 1) {
      const { id } = await world.session()
      await world.ok('POST', `/api/sessions/${id}/pause`)
      const made = await trigger(world, {
        type: 'delayed',
        config: { delaySeconds: 3600 },
        action: say(id, `News ${at}`),
      })
      await world.ok('POST', `/api/triggers/${made.id}/fire`, {})
      await world.ok('DELETE', `/api/sessions/${id}`)
    }
    const [item, ...more] = await told(world, 3)
    expect(more).toEqual([])
    expect(item!.title).toBe('A message to assistant could not be delivered (3 of the kind)')
    expect(item!.body).toContain('From trigger: News 3')
  })

  test('of triggers that were missed while nobody was there', async () => {
    const clock = createClock()
    const world = await createWorld({ store, clock })
    for (const name of ['Bees', 'Birds', 'Bats'])
      await trigger(world, {
        name,
        type: 'heartbeat',
        config: { intervalSeconds: 60, onlyIf: [] },
        action: say('assistant', 'Look'),
        catchUp: 'none',
      })
    pass(world, clock, 30 * MINUTE)
    const [item, ...more] = await told(world, 3)
    expect(more).toEqual([])
    expect(item!.title).toMatch(/^Trigger .*\(3 of the kind\)$/)
  })
})
