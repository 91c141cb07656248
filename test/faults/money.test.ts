import { describe, expect, test, vi } from 'vitest'
import type { Task } from '../../src/contract/tasks.ts'
import { type StoreKind, stores } from '../kit/database.ts'
import { eventually } from '../kit/processes.ts'
import { type Client, createClient } from './client.ts'
import { crashAt, nameOf, once, recordPoints } from './crash.ts'
import { type Life, startLife } from './life.ts'
import { moneyBoundaries, paying, priced } from './money-play.ts'
import { type FaultPlace, inPlace } from './place.ts'
import { changeRows, endLeases, readRows, rest } from './rows.ts'

const played = moneyBoundaries.filter((name) => !name.endsWith('.settle'))

vi.setConfig({ maxConcurrency: 4 })

describe.concurrent.for(stores)('a crash on %s', (store) => {
  test('while a person decides about money asks, counts and goes on once', { timeout: 600_000 }, async () => {
    const points = await recordPoints(paying, store)
    const own = points.filter((point) => point.startsWith('budget.'))
    const wanted = played.flatMap((name) => [`${name}.before-commit`, `${name}.after-commit`])
    expect(wanted.filter((name) => !own.map(nameOf).includes(name))).toEqual([])
    expect(await crashAt(paying, store, once(own, store))).toEqual([])
  })

  test('with money put aside counts all of it once, though the next ones crash as they settle it', {
    timeout: 300_000,
  }, async () => {
    const deaths = ['none', ...around('budget.settle')]
    await spending(store, deaths, async ({ place, life, make, becomes }) => {
      const gate = Promise.withResolvers<void>()
      const asked = Promise.withResolvers<void>()
      place.vendor.script(() => {
        asked.resolve()
        return life.crashes === 0 ? { delay: gate.promise, text: 'Lost.' } : { text: 'Done.' }
      })
      const task = await make()
      await asked.promise
      await life.kill()
      await becomes(task, 'finished')
      gate.resolve()
      await rest(place, life, 60)
      expect(life.crashes).toBe(3)
      const { tasks } = await readRows(place)
      const reserved = await reservedIn(place)
      expect(reserved).toHaveLength(2)
      expect(await spentOn(place, task)).toEqual({ lost: reserved[0], reserved: 0, left: 0 })
      // What was in hand when the server was killed is tried once more; the crashes before its claim do not count.
      expect(tasks.map(({ attempts, status }) => `${status} ${attempts}`)).toEqual(['finished 2'])
    })
  })

  test.for(around('turn.settle'))(
    'at %s counts once what another activation has left behind',
    {
      timeout: 300_000,
    },
    async (point) => {
      await spending(store, [point], async ({ place, life, client, make, becomes }) => {
        place.vendor.script(({ messages }) =>
          messages.some(({ role }) => role === 'assistant')
            ? { text: 'Done.' }
            : { calls: [{ name: 'ask_human', input: { question: 'Sure?' } }] },
        )
        const task = await make()
        await becomes(task, 'waiting')
        await leaveReservation(place, task)
        await client.request('POST', `/api/tasks/${task.id}/respond`, { message: 'Yes.' })
        await becomes(task, 'finished')
        await rest(place, life, 60)
        expect(life.crashes).toBe(1)
        const { lost, ...others } = await spentOn(place, task)
        expect(others).toEqual({ reserved: 0, left: 0 })
        // A machine too busy to renew a lease loses a request of its own, which counts once, in full.
        const reserved = await reservedIn(place)
        expect([LEFT, ...(reserved.length > 2 ? reserved.map((nanos) => LEFT + nanos) : [])]).toContain(lost)
      })
    },
  )
})

/** Before and after the commit. */
function around(name: string): string[] {
  return [`${name}.before-commit:1`, `${name}.after-commit:1`]
}

const LEFT = 1_000_000

interface Spending {
  readonly place: FaultPlace
  readonly life: Life
  readonly client: Client
  /** A task under a limit in money. */
  make(): Promise<Task>
  becomes(task: Task, status: Task['status']): Promise<unknown>
}

/** Servers one after the other, each of which dies at its point; then the last one is stopped. */
function spending(
  store: StoreKind,
  deaths: readonly string[],
  work: (spending: Spending) => Promise<void>,
): Promise<void> {
  return inPlace(
    store,
    async (place) => {
      const life = startLife(place, {
        env: (crashes) => ({ TROUPE_CRASH_AT: deaths[crashes] ?? 'none' }),
        onDeath: () => endLeases(place),
      })
      const client = createClient(life)
      const body = { agent: 'writer', input: { prompt: 'Work' }, limits: { maxCostUsd: 1 }, clientId: 'one' }
      const make = async () => (await client.request<Task>('POST', '/api/tasks', body)).body
      const becomes = ({ id }: Task, status: Task['status']) => {
        const look = async () => (await client.request<Task>('GET', `/api/tasks/${id}`)).body.status === status
        return Promise.race([life.broken, eventually(async () => (await look()) || undefined, 120, 100)])
      }
      await work({ place, life, client, make, becomes })
      expect((await life.stop()).code).toBe(0)
    },
    {},
    { provider: priced },
  )
}

/** What counts under the budget of a task beside the cost of what was answered. */
async function spentOn(place: FaultPlace, { id }: Task): Promise<{ lost: number; reserved: number; left: number }> {
  const { budgets, reservations, tasks } = await readRows(place)
  const budget = budgets.find((row) => row.id.includes(id))!
  const answered = Math.round((tasks.find((row) => row.id === id)?.cost_usd ?? 0) * 1e9)
  return { lost: budget.spent_nanos - answered, reserved: budget.reserved_nanos, left: reservations.length }
}

/** What was put aside for each request. */
const reservedIn = async (place: FaultPlace): Promise<number[]> =>
  (await readRows(place)).events
    .filter(({ type }) => type === 'budget.reserved')
    .map(({ data }) => Math.round(JSON.parse(data).usd * 1e9))

/** As a process on another host leaves it that lost the session in the middle of a request. */
const leaveReservation = (place: FaultPlace, { id, sessionId }: Task): Promise<void> =>
  changeRows(
    place,
    `insert into reservations (id, session_id, turn_id, host, nanos, budgets, at)
      select 'request_left', id, turn_id, 'elsewhere', ${LEFT}, '["task:${id}"]', 0 from sessions where id = '${sessionId}';
    update budgets set reserved_nanos = reserved_nanos + ${LEFT} where id = 'task:${id}'`,
  )
