import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Session } from '../../src/contract/sessions.ts'
import { toMessage } from '../../src/store/messages.ts'
import { playsBoth, type StoreKind } from '../kit/database.ts'
import type { Reply, SeenRequest } from '../kit/vendor/reply.ts'
import { createWorld, type World } from '../kit/world.ts'

/** Who asks whom when it is asked, what becomes of it then, and whom the person tells to begin. */
interface Graph {
  readonly asks: readonly (readonly number[])[]
  readonly ends: readonly End[]
  readonly starts: readonly number[]
}
type End = 'answers' | 'fails' | 'sleeps'

interface Asked {
  readonly status: string
  readonly response: string
}

const graphs = (ends: fc.Arbitrary<End>): fc.Arbitrary<Graph> =>
  fc.integer({ min: 3, max: 6 }).chain((size) => {
    const one = fc.nat({ max: size - 1 })
    return fc.record({
      asks: fc
        .array(fc.uniqueArray(one, { maxLength: 2 }), { minLength: size, maxLength: size })
        .map((asks) => asks.map((others, self) => others.filter((other) => other !== self))),
      ends: fc.array(ends, { minLength: size, maxLength: size }),
      starts: fc.uniqueArray(one, { minLength: 1, maxLength: size }),
    })
  })

/** One server, many graphs: each has sessions of its own, each session a model of its own that plays its part. */
async function stage(store: StoreKind, timeout: number, clock?: { now: () => number }) {
  const parts = new Map<string, { readonly end: End; readonly asks: readonly string[] }>()
  const world = await createWorld({
    store,
    settings: {
      permissions: { allow: ['agent_send(session:*)'] },
      loop: { autoWakeBudget: 10_000, maxHops: 10_000 },
    },
    ...(clock && { clock }),
  })
  let questions = 0
  let cast = 0
  world.vendor.script((request: SeenRequest): Reply => {
    const part = parts.get(request.model)!
    const read = request.messages.slice(request.messages.findLastIndex(({ role }) => role !== 'user') + 1)
    // An answer that came late is no question.
    const news = read.some(({ text }) => /Begin|Question/.test(text))
    if (part.end === 'fails' && news) return { error: { kind: 'auth' } }
    if (part.end === 'sleeps' && news) return { calls: [{ name: 'sleep', input: { seconds: 300 } }] }
    if (!news || part.asks.length === 0) return { text: `Said by ${request.model}.` }
    const calls = part.asks.map((to) => ({
      name: 'agent_message',
      input: { to, message: `Question ${++questions}`, timeout },
    }))
    return { calls }
  })
  return {
    world,
    async play({ asks, ends, starts }: Graph): Promise<Session[]> {
      const made = await Promise.all(asks.map(() => world.session({ model: `lab/part-${++cast}` })))
      for (const [at, { model }] of made.entries()) {
        parts.set(model!.slice('lab/'.length), { end: ends[at]!, asks: asks[at]!.map((other) => made[other]!.id) })
      }
      // As follow-ups, which end no wait of one that was asked before.
      await Promise.all(starts.map((at) => world.send(made[at]!.id, 'Begin', { followup: true })))
      return made
    },
  }
}

/** Whether they are done, or have come to where only time helps, and when that would be. */
async function standing(world: World, sessions: readonly Session[]): Promise<'busy' | 'done' | { until: number }> {
  const ids = sessions.map(({ id }) => id)
  const db = world.server.core.store.read
  const rows = await db.selectFrom('sessions').select(['status', 'wanted_at']).where('id', 'in', ids).execute()
  const timers = await db.selectFrom('timers').select(['kind', 'due_at']).where('session_id', 'in', ids).execute()
  const busy = rows.some((row) => row.wanted_at !== null || row.status === 'running')
  if (busy || timers.some(({ kind }) => kind !== 'call')) return 'busy'
  return timers.length === 0 ? 'done' : { until: Math.min(...timers.map(({ due_at }) => Number(due_at))) }
}

/** How every question of these sessions ended, as the asker saw it. */
async function ended(world: World, sessions: readonly Session[]): Promise<Asked[]> {
  const ids = sessions.map(({ id }) => id)
  const db = world.server.core.store.read
  const rows = await db.selectFrom('messages').selectAll().where('session_id', 'in', ids).execute()
  return rows.flatMap((row) =>
    toMessage(row).parts.flatMap((part) =>
      part.type === 'tool-result' && part.name === 'agent_message' ? [part.output as Asked] : [],
    ),
  )
}

/** Whether a person's word leads into a circle. */
function isCircular({ asks, starts }: Graph): boolean {
  const comesBack = (at: number, path: readonly number[]): boolean =>
    path.includes(at) || asks[at]!.some((next) => comesBack(next, [...path, at]))
  return starts.some((at) => comesBack(at, []))
}

const TOGETHER = 10

/** The first asks one that answers, one that fails and, by it, one that never does; the last two ask each other. */
const oneOfEach: Graph = {
  asks: [[1, 2], [3], [], [], [5], [4]],
  ends: ['answers', 'answers', 'fails', 'sleeps', 'answers', 'answers'],
  starts: [0, 4],
}

/** Each is of so many graphs, other ones at each time; the soak plays far more of them. */
const times = playsBoth ? 20 : 2

describe.each([
  ['sqlite', times],
  ['postgres', times / 2],
] as const)('random graphs of questions on %s', (store, runs) => {
  test('each question is answered or refused without time passing; refused only where there is a circle', async () => {
    const { world, play } = await stage(store, 600)
    const batch = fc.array(graphs(fc.constant('answers')), { minLength: TOGETHER, maxLength: TOGETHER })
    await fc.assert(
      fc.asyncProperty(batch, async (all) => {
        const casts = await Promise.all(all.map(play))
        await world.eventually(async () => (await standing(world, casts.flat())) === 'done')
        for (const [at, sessions] of casts.entries()) {
          const ends = await ended(world, sessions)
          for (const end of ends) {
            expect(end).toMatchObject({ status: expect.stringMatching(/^(complete|refused)$/) })
            expect(end.response).toMatch(end.status === 'complete' ? /^Said by part-/ : /each waits for the next/)
          }
          expect(ends.some(({ status }) => status === 'refused')).toBe(isCircular(all[at]!))
        }
      }),
      { numRuns: runs, endOnFailure: true },
    )
  }, 300_000)

  test('with some that fail and some that never answer, each question ends in one of the four ways', async () => {
    let now = Date.now()
    const { world, play } = await stage(store, 60, { now: () => now })
    const some = fc.oneof({ weight: 6, arbitrary: fc.constant('answers') }, fc.constant('fails'), fc.constant('sleeps'))
    const batch = fc.array(graphs(some as fc.Arbitrary<End>), { minLength: TOGETHER, maxLength: TOGETHER })
    const seen = new Set<string>()
    await fc.assert(
      fc.asyncProperty(batch, async (all) => {
        const casts = await Promise.all(all.map(play))
        await world.eventually(async () => {
          const stands = await standing(world, casts.flat())
          if (typeof stands === 'object') {
            now = Math.max(now, stands.until)
            world.server.core.alarm(0)
          }
          return stands === 'done'
        })
        for (const { status } of await ended(world, casts.flat())) {
          expect(['complete', 'timeout', 'failed', 'refused']).toContain(status)
          seen.add(status)
        }
        const open = await world.server.core.store.read
          .selectFrom('mail')
          .select('id')
          .where('ask_state', 'in', ['open', 'answered'])
          .execute()
        expect(open).toEqual([])
      }),
      { numRuns: Math.ceil(runs / 4), endOnFailure: true, examples: [[[oneOfEach]]] },
    )
    expect([...seen].sort()).toEqual(['complete', 'failed', 'refused', 'timeout'])
  }, 300_000)
})
