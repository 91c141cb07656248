import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, type TestContext, test, vi } from 'vitest'
import type { Trigger, TriggerFire } from '../../src/contract/triggers.ts'
import { playsBoth, stores } from '../kit/database.ts'
import { eventually } from '../kit/processes.ts'
import { createClient } from './client.ts'
import { startLife } from './life.ts'
import { inPlace } from './place.ts'
import { changeRows, endLeases, readRows } from './rows.ts'

/** Where the server is killed, how often the receiver is called in all, and how often it was tried. */
const points = [
  ['hook.try.before-commit', 1, 1],
  ['hook.try.after-commit', 1, 2],
  ['hook.called', 2, 2],
  ['hook.settle.before-commit', 2, 2],
  ['hook.settle.after-commit', 1, 1],
] as const

/** On PostgreSQL, where only the commit is another, those after which it is called. */
const few = playsBoth ? points : points.slice(1, 3)

vi.setConfig({ maxConcurrency: 3 })

describe.concurrent.for(stores)('a crash on %s while a webhook is called', (store) => {
  test.for(store === 'sqlite' ? points : few)(
    'at %s loses no call, and each names the same fire',
    { timeout: 180_000 },
    async ([point, calls, attempts], context) => {
      const hook = await receiver(context)
      await inPlace(store, async (place) => {
        const life = startLife(place, {
          env: (crashes) => (crashes === 0 ? { TROUPE_CRASH_AT: `${point}:1` } : {}),
          limit: 1,
          // As if the time until the next try had passed.
          onDeath: async () => {
            await endLeases(place)
            await changeRows(place, `update timers set due_at = 0 where kind = 'hook'`)
          },
        })
        const client = createClient(life)
        const body = {
          type: 'delayed',
          config: { delaySeconds: 0.1 },
          action: { type: 'webhook', url: hook.url, private: true },
          clientId: 'one',
        }
        const { id } = (await client.request<Trigger>('POST', '/api/triggers', body)).body
        let seen: unknown
        const done = async () => {
          const { items } = (await client.request<{ items: TriggerFire[] }>('GET', `/api/triggers/${id}/fires`)).body
          seen = { crashes: life.crashes, calls: hook.calls, items }
          return life.crashes === 1 && items[0]?.delivery === 'done' ? items : undefined
        }
        const fires = (await Promise.race([life.broken, eventually(done, 120, 100)]).catch((error: unknown) => {
          throw new Error(`${error}\nLast seen: ${JSON.stringify(seen)}`)
        })) as TriggerFire[]
        expect(fires).toMatchObject([{ outcome: 'fired', attempts }])
        expect(hook.calls).toEqual(Array(calls).fill(hook.calls[0]))
        expect((await readRows(place)).timers).toEqual([])
        expect((await life.stop()).code).toBe(0)
      })
    },
  )
})

test('a crash on sqlite while a ninth webhook waits for its turn loses none of them', {
  timeout: 180_000,
}, async (context) => {
  const points = ['hook.wait.before-commit:1', 'hook.wait.after-commit:1']
  // The eight under way are held until the ninth has waited twice.
  const held = Promise.withResolvers<void>()
  const hook = await receiver(context, held.promise)
  await inPlace('sqlite', async (place) => {
    const life = startLife(place, {
      env: (crashes) => ({ TROUPE_CRASH_AT: points[crashes] ?? '' }),
      limit: points.length,
      onDeath: async (crashes) => {
        if (crashes === points.length) held.resolve()
        await changeRows(place, `update timers set due_at = 0 where kind = 'hook'`)
      },
    })
    const client = createClient(life)
    const action = { type: 'webhook', url: hook.url, private: true }
    const made = { type: 'delayed', config: { delaySeconds: 0.1 }, action }
    for (let number = 0; number < 9; number += 1)
      await client.request('POST', '/api/triggers', { ...made, clientId: `hook ${number}` })
    const done = async () => {
      const { trigger_fires: fires } = life.crashes < 2 ? { trigger_fires: [] } : await readRows(place)
      return (fires.length === 9 && fires.every(({ delivery }) => delivery === 'done')) || undefined
    }
    await Promise.race([life.broken, eventually(done, 120, 100)])
    expect(new Set(hook.calls).size).toBe(9)
    expect((await readRows(place)).timers).toEqual([])
    expect((await life.stop()).code).toBe(0)
  })
})

/** Answers every call, and keeps which fire it was for. Of tests that run at once, each says itself when it has ended. */
async function receiver(
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
  until?: Promise<void>,
): Promise<{ url: string; calls: (string | undefined)[] }> {
  const calls: (string | undefined)[] = []
  const server = createServer(async (request, response) => {
    calls.push(request.headers['troupe-fire']?.toString())
    request.resume()
    await until
    response.end('{}')
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, calls }
}
