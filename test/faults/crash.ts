import { join } from 'node:path'
import { playsBoth, type StoreKind } from '../kit/database.ts'
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
 * Performances in which the server is killed at each of these points, so many times in one; the server that is started next
 * goes on with it, and after the last one holds the following performance until its own point. What is not passed any
 * more after an earlier kill gets a performance of its own. Returns what is wrong, each with where it was killed.
 */
export function crashAt<T>(
  play: Play<T>,
  store: StoreKind,
  points: readonly string[],
  { kills = 1 } = {},
): Promise<string[]> {
  return inPlace(
    store,
    async (place) => {
      const performances = dealt(points, Math.ceil(points.length / kills))
      let number = 0
      let left = performances[0] ?? []
      const armed = (): string => {
        const [next] = left
        const begun = left.length < (performances[number]?.length ?? 0)
        // What is passed after a restart is counted anew.
        if (next !== undefined && begun) return `${nameOf(next)}:1`
        return `${BELL}:1,${next ?? performances[number + 1]?.[0] ?? 'none'}`
      }
      const life = startLife(place, {
        env: () => ({ TROUPE_CRASH_AT: armed() }),
        limit: 2 * points.length,
        // The first lease of a dead server runs out by itself; as if that much time had passed, so do the others.
        onDeath: async (crashes) => {
          left = left.slice(1)
          if (crashes > 1) await endLeases(place)
        },
      })
      const client = createClient(life)
      const ring = await bell(client)
      const found: string[] = []
      const outcomes = []
      for (; number < performances.length; number += 1) {
        const wanted = performances[number]!
        const where = wanted.join(', ')
        const before = life.crashes
        left = wanted
        await ring()
        const outcome = await play.run(place, life, client, number).catch((error: unknown) => {
          throw new Error(`After the crash at ${where}: ${error}`)
        })
        outcomes.push({ where, outcome })
        if (life.crashes - before !== wanted.length - left.length)
          found.push(`${where}: ${life.crashes - before} crashes`)
        // How often a point is passed may depend on who is faster, but it is passed once.
        if (wanted.length === 1 && left[0]?.endsWith(':1')) found.push(`${where} was not passed`)
        if (wanted.length > 1) performances.push(...left.map((point) => [point]))
        if (left.length === 0) continue
        left = []
        await life.kill()
      }
      const exit = await life.stop()
      const rows = await readRows(place)
      if (exit.code !== 0) found.push(`the server ended with ${exit.code ?? exit.signal}: ${exit.stderr}`)
      if (store === 'sqlite' && hasHoles(rows)) found.push('the events have holes')
      found.push(...place.vendor.rejections.map(({ reason }) => `the vendor refused a history: ${reason}`))
      for (const { where, outcome } of outcomes) {
        found.push(...play.verdict(outcome, client.acknowledged, rows).map((sentence) => `${where}: ${sentence}`))
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
 * What commits are on PostgreSQL the conversation shows: a play beside it takes there each so many-th name after its commit.
 */
export function once(points: readonly string[], store: StoreKind, each = 1): string[] {
  const passes = [...Map.groupBy(points, nameOf)]
  const [before, after] = [true, false].map((is) =>
    passes.map(([name]) => name).filter((name) => name.endsWith('.before-commit') === is),
  )
  const turn = store === 'sqlite' ? 0 : 1
  const step = store === 'sqlite' || playsBoth ? 1 : each
  const others = new Set([
    ...before!.filter((_, index) => index % 2 !== turn),
    ...after!.filter((_, index) => index % step !== 0),
  ])
  const chosen = new Set(
    passes.flatMap(([name, some]) => (others.has(name) ? [] : some[turn * Math.floor(some.length / 2)]!)),
  )
  return points.filter((point) => chosen.has(point))
}

/** How many names a play beside the conversation has for each that it takes on PostgreSQL after its commit. */
export const BESIDE = 3

/** The conversation is crashed at each of these. */
const covered = /^(engine|model|tool|turn|session\.create|mail\.deliver)\./

/** Those of a play that the conversation does not have, after their commit: before it, the conversation's crashes tell the same. */
export const ownOf = (points: readonly string[], store: StoreKind): string[] =>
  once(
    points.filter((point) => !covered.test(point)),
    store,
    BESIDE,
  ).filter((point) => !point.includes('before-commit'))

export const nameOf = (point: string): string => point.slice(0, point.lastIndexOf(':'))
