import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Trigger } from '../../src/contract/triggers.ts'
import { eventually } from '../kit/processes.ts'
import { type FaultPlace, inPlace } from './place.ts'
import { readRows } from './rows.ts'
import type { Address } from './server.ts'

const FIRES = 12
const SECONDS = 120
const STOPPED_MS = 7000

/** Two servers, each with a data folder of its own, on one database. Longer than a claim lasts, one of them stands still. */
test(
  'two processes on one PostgreSQL never both fire one occurrence, also when one of them was stopped',
  { timeout: 300_000 },
  () =>
    inPlace('postgres', async (place) => {
      place.vendor.script(() => ({ text: 'Done.' }))
      const first = place.launch()
      const one = (await first.ready)!
      const second = place.launch({ TROUPE_HOME: anotherHome(place) })
      const other = (await second.ready)!
      const make = (name: string): Promise<Trigger> =>
        ask<Trigger>(one, 'POST', '/api/triggers', {
          type: 'scheduled',
          config: { cron: '* * * * * *' },
          catchUp: 'all',
          maxFires: FIRES,
          action: { type: 'send', to: 'assistant', session: 'create', message: name },
        })
      const made = [await make('a'), await make('b'), await make('c')]
      await reached(other, made[0]!.id, ({ fires }) => fires >= 2)
      first.signal('SIGSTOP')
      await pause(STOPPED_MS)
      first.signal('SIGCONT')
      for (const { id } of made) await reached(other, id, ({ status }) => status === 'expired')

      const rows = await readRows(place)
      for (const { id } of made) {
        const ledger = rows.trigger_fires.filter(({ trigger_id }) => trigger_id === id)
        const acted = ledger.filter(({ outcome }) => outcome === 'fired' || outcome === 'caught_up')
        expect(new Set(ledger.map(({ due_at }) => due_at)).size).toBe(ledger.length)
        expect(acted).toHaveLength(FIRES)
        const mail = rows.mail.filter(({ client_id }) => client_id?.startsWith(`fire:${id}:`))
        expect(mail.map(({ client_id }) => client_id).toSorted()).toEqual(
          acted.map(({ occasion }) => `fire:${id}:${occasion}`).toSorted(),
        )
      }
    }),
)

function anotherHome({ home }: FaultPlace): string {
  const other = join(home, '..', 'other')
  mkdirSync(other)
  cpSync(join(home, 'settings.json'), join(other, 'settings.json'))
  return other
}

async function ask<T>({ url, token }: Address, method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return (await response.json()) as T
}

const reached = (server: Address, id: string, fits: (trigger: Trigger) => boolean): Promise<true> =>
  eventually(async () => fits(await ask<Trigger>(server, 'GET', `/api/triggers/${id}`)) || undefined, SECONDS, 200)
