import type { Trigger, TriggerFire } from '../../src/contract/triggers.ts'
import type { createClock } from './clock.ts'
import type { World } from './world.ts'

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE

/** Makes a trigger that must be accepted. */
export const trigger = (world: World, body: Record<string, unknown>): Promise<Trigger> =>
  world.ok<Trigger>('POST', '/api/triggers', body)

export const say = (to: string, message: string, more = {}) => ({ type: 'send', to, message, ...more })

/** The outcomes of a trigger, the oldest first. */
export async function fires(world: World, id: string): Promise<TriggerFire[]> {
  const found: TriggerFire[] = []
  for (let after = ''; ; ) {
    const path = `/api/triggers/${id}/fires?limit=200${after}`
    const { items, nextCursor } = await world.ok<{ items: TriggerFire[]; nextCursor?: string }>('GET', path)
    found.push(...items)
    if (nextCursor === undefined) break
    after = `&cursor=${nextCursor}`
  }
  return found.toSorted((a, b) => Date.parse(a.dueAt) - Date.parse(b.dueAt))
}

/** Once it has so many outcomes. */
export const firesOf = (world: World, id: string, count: number): Promise<TriggerFire[]> =>
  world.eventually(async () => {
    const found = await fires(world, id)
    return found.length >= count && found
  })

/** Time passes, and whoever waits for it looks. */
export function pass(world: World, clock: ReturnType<typeof createClock>, ms: number): void {
  clock.at += ms
  world.server.core.alarm(0)
}

/** Time passes, and all that is due by then has its outcome. */
export async function passAndSettle(world: World, clock: ReturnType<typeof createClock>, ms: number): Promise<void> {
  pass(world, clock, ms)
  await settled(world)
}

/** Nothing is due any more. */
export async function settled(world: World): Promise<void> {
  const { core } = world.server
  await world.eventually(async () => {
    const due = await core.store.read
      .selectFrom('timers')
      .select('id')
      .where('due_at', '<=', core.clock.now())
      .execute()
    if (due.length > 0) core.alarm(0)
    return due.length === 0
  })
}
