import { join } from 'node:path'
import type { StoreKind } from '../database.ts'
import { createClient } from './client.ts'
import { hasHoles } from './invariants.ts'
import { startLife } from './life.ts'
import { inPlace } from './place.ts'
import { pointsIn } from './points.ts'
import { readRows } from './rows.ts'
import { converse } from './scenario.ts'
import { verdict } from './verdict.ts'

/**
 * One conversation for each point, the server being killed there; the server that is started next ends that
 * conversation and holds the following one until its own point. Returns what is wrong, each with the point it was at.
 */
export function crashAt(store: StoreKind, points: readonly string[]): Promise<string[]> {
  return inPlace(store, async (place) => {
    const life = startLife(place, {
      env: (crashes) => ({ TROUPE_CRASH_AT: armed(points, crashes) }),
      limit: points.length,
    })
    const client = createClient(life)
    const found: string[] = []
    const conversations = []
    for (const [number, point] of points.entries()) {
      const conversation = await converse(place, life, client, number).catch((error: unknown) => {
        throw new Error(`After the crash at ${point}: ${error}`)
      })
      conversations.push({ point, conversation })
      // How often a point is passed may depend on who is faster, but it is passed once.
      if (life.crashes === number && point.endsWith(':1')) found.push(`${point} was not passed`)
      if (life.crashes === number) await life.kill()
      if (life.crashes !== number + 1) found.push(`${point}: ${life.crashes - number} crashes instead of one`)
    }
    const exit = await life.stop()
    const rows = await readRows(place)
    if (exit.code !== 0) found.push(`the server ended with ${exit.code ?? exit.signal}: ${exit.stderr}`)
    if (store === 'sqlite' && hasHoles(rows)) found.push('the events have holes')
    found.push(...place.vendor.rejections.map(({ reason }) => `the vendor refused a history: ${reason}`))
    for (const { point, conversation } of conversations) {
      found.push(...verdict(conversation, client.acknowledged, rows).map((sentence) => `${point}: ${sentence}`))
    }
    return found
  })
}

/** Counts from where the next conversation begins; what the one before still passes is not its point. */
function armed(points: readonly string[], crashes: number): string {
  const point = points[crashes]
  if (point === undefined || crashes === 0) return point ?? 'none'
  // One that was killed while it began will begin again.
  const beginnings = points[crashes - 1]?.startsWith('session.create.') ? 2 : 1
  return `session.create.before-commit:${beginnings},${point}`
}

/** The points that a conversation passes when nothing disturbs it. */
export function recordPoints(store: StoreKind): Promise<string[]> {
  return inPlace(store, async (place) => {
    const record = join(place.home, 'points')
    const life = startLife(place, { env: () => ({ TROUPE_CRASH_RECORD: record }), limit: 0 })
    await converse(place, life, createClient(life), 0)
    await life.stop()
    return pointsIn(record)
  })
}

/** So many lists of about the same length, far-apart points in each. */
export const dealt = (points: readonly string[], lists: number): string[][] =>
  Array.from({ length: lists }, (_, list) => points.filter((_, index) => index % lists === list))
