import { describe, expect, test } from 'vitest'
import { cast } from '../kit/cast.ts'
import { createClock } from '../kit/clock.ts'
import { storesInTurn } from '../kit/database.ts'
import { mails } from '../kit/records.ts'
import { fires, MINUTE, passAndSettle, say, settled, trigger } from '../kit/triggers.ts'
import { createWorld } from '../kit/world.ts'

const STEPS = 25
const EVERY = 7 * MINUTE

/** The same choices for the same seed. */
function choices(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
}

describe.each(storesInTurn(import.meta.filename))('whatever happens to the clock and the server on %s', (store) => {
  test.each(['one', 'none', 'all'] as const)('each time has one outcome, with catchUp "%s"', async (catchUp) => {
    const clock = createClock()
    clock.at = Date.parse('2026-11-17T08:00:30Z')
    const world = await createWorld({ store, clock, files: cast('ann') })
    const seed = store.length * 1000 + catchUp.length
    const choose = choices(seed)
    const made = await trigger(world, {
      type: 'heartbeat',
      config: { intervalSeconds: EVERY / 1000, onlyIf: [] },
      action: say('ann', 'Beat'),
      catchUp,
    })
    const wanted: number[] = []
    let anchor = clock.at
    let next = anchor + EVERY
    let active = true
    for (let step = 0; step < STEPS; step += 1) {
      const what = choose(10)
      if (what < 6) await passAndSettle(world, clock, choose(40) * MINUTE)
      else if (what === 6) await passAndSettle(world, clock, -choose(90) * MINUTE)
      else if (what === 7) {
        clock.at += choose(300) * MINUTE
        await world.restart()
        await settled(world)
      } else {
        active = !active
        await world.ok('PATCH', `/api/triggers/${made.id}`, { status: active ? 'active' : 'paused' })
        if (active) {
          anchor = clock.at
          next = anchor + EVERY
        }
      }
      for (; active && next <= clock.at; next += EVERY) wanted.push(next)
    }
    const ledger = await fires(world, made.id)
    const covered = ledger.flatMap(({ since, dueAt, covers }) => {
      const [from, to] = [Date.parse(since ?? dueAt), Date.parse(dueAt)]
      expect((to - from) / EVERY + 1, `seed ${seed}`).toBe(covers)
      return Array.from({ length: covers }, (_, index) => from + index * EVERY)
    })
    expect(
      covered.toSorted((a, b) => a - b),
      `seed ${seed}`,
    ).toEqual(wanted.toSorted((a, b) => a - b))
    const acted = ledger.filter(({ outcome }) => outcome === 'fired' || outcome === 'caught_up')
    expect(acted.length).toBeGreaterThan(0)
    expect((await mails(world)).map(({ id }) => id).toSorted()).toEqual(
      acted.map(({ result }) => String(result?.mailId)).toSorted(),
    )
  })
})
