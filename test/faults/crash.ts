import { join } from 'node:path'
import type { StoreKind } from '../kit/database.ts'
import type { PlaceOptions } from '../kit/place.ts'
import { type Acknowledged, type Client, createClient } from './client.ts'
import { hasHoles } from './invariants.ts'
import { type Life, startLife } from './life.ts'
import { type FaultPlace, inPlace } from './place.ts'
import { pointsIn } from './points.ts'
import { endLeases, type Rows, readRows } from './rows.ts'
import { converse } from './scenario.ts'
import { narrow, talk } from './talk.ts'
import { talkVerdict } from './talk-verdict.ts'
import { verdict } from './verdict.ts'

/** Something that is played to its end, whatever crashes meanwhile, and how it must have come out. */
export interface Play<T> {
  readonly settings?: Record<string, unknown>
  readonly provider?: PlaceOptions['provider']
  run(place: FaultPlace, life: Life, client: Client, number: number): Promise<T>
  verdict(outcome: T, acknowledged: Acknowledged, rows: Rows): string[]
}

export const conversation: Play<Awaited<ReturnType<typeof converse>>> = { run: converse, verdict }
export const agents: Play<Awaited<ReturnType<typeof talk>>> = { settings: narrow, run: talk, verdict: talkVerdict }

/**
 * One performance for each point, the server being killed there; the server that is started next ends that performance
 * and holds the following one until its own point. Returns what is wrong, each with the point it was at.
 */
export function crashAt<T>(play: Play<T>, store: StoreKind, points: readonly string[]): Promise<string[]> {
  return inPlace(
    store,
    async (place) => {
      const life = startLife(place, {
        env: (crashes) => ({ TROUPE_CRASH_AT: `${BELL}:1,${points[crashes] ?? 'none'}` }),
        limit: points.length,
        // The first lease of a dead server runs out by itself; as if that much time had passed, so do the others.
        onDeath: async (crashes) => {
          if (crashes > 1) await endLeases(place)
        },
      })
      const client = createClient(life)
      const ring = await bell(client)
      const found: string[] = []
      const outcomes = []
      for (const [number, point] of points.entries()) {
        await ring()
        const outcome = await play.run(place, life, client, number).catch((error: unknown) => {
          throw new Error(`After the crash at ${point}: ${error}`)
        })
        outcomes.push({ point, outcome })
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
      for (const { point, outcome } of outcomes) {
        found.push(...play.verdict(outcome, client.acknowledged, rows).map((sentence) => `${point}: ${sentence}`))
      }
      return found
    },
    play.settings,
    { ...(play.provider && { provider: play.provider }) },
  )
}

/** The points that a performance passes when nothing disturbs it. */
export function recordPoints<T>(play: Play<T>, store: StoreKind): Promise<string[]> {
  return inPlace(
    store,
    async (place) => {
      const record = join(place.home, 'points')
      const life = startLife(place, { env: () => ({ TROUPE_CRASH_RECORD: record }), limit: 0 })
      const client = createClient(life)
      const ring = await bell(client)
      await ring()
      await play.run(place, life, client, 0)
      await life.stop()
      return pointsIn(record, BELL)
    },
    play.settings,
    { ...(play.provider && { provider: play.provider }) },
  )
}

const BELL = 'session.read.before-commit'

/** What is written when a performance begins, and at no other time: points are counted from there. */
async function bell(client: Client): Promise<() => Promise<unknown>> {
  const { body } = await client.request<{ id: string }>('POST', '/api/sessions', { agent: 'coder', clientId: 'bell' })
  return () => client.request('POST', `/api/sessions/${body.id}/read`, { seq: 0 })
}

/** So many lists of about the same length, far-apart points in each. */
export const dealt = (points: readonly string[], lists: number): string[][] =>
  Array.from({ length: lists }, (_, list) => points.filter((_, index) => index % lists === list))

/**
 * What a test run has the time for. After its commit each name is taken on both stores, on SQLite at its first pass and on
 * PostgreSQL at one from the middle; before it, where nothing is written yet, the stores take turns. The soak takes all.
 */
export function once(points: readonly string[], store: StoreKind): string[] {
  const passes = [...Map.groupBy(points, nameOf)]
  const before = passes.map(([name]) => name).filter((name) => name.endsWith('.before-commit'))
  const turn = store === 'sqlite' ? 0 : 1
  const others = new Set(before.filter((_, index) => index % 2 !== turn))
  const chosen = new Set(
    passes.flatMap(([name, some]) => (others.has(name) ? [] : some[turn * Math.floor(some.length / 2)]!)),
  )
  return points.filter((point) => chosen.has(point))
}

/** The conversation is crashed at each of these. */
const covered = /^(engine|model|tool|turn|session\.create|mail\.deliver)\./

/** Those of a play that the conversation does not have, after their commit: before it, the conversation's crashes tell the same. */
export const ownOf = (points: readonly string[], store: StoreKind): string[] =>
  once(points, store).filter((point) => !covered.test(point) && !point.includes('before-commit'))

export const nameOf = (point: string): string => point.slice(0, point.lastIndexOf(':'))
