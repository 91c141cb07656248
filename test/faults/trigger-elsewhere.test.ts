import { mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Trigger } from '../../src/contract/triggers.ts'
import { eventually } from '../kit/processes.ts'
import { createClient } from './client.ts'
import { startLife } from './life.ts'
import { inPlace } from './place.ts'
import { endLeases, readRows } from './rows.ts'

test(
  'a crash on postgres while a trigger is left to a host that has its folder lets it fire there once',
  { timeout: 240_000 },
  () =>
    inPlace('postgres', async (place) => {
      place.vendor.script(() => ({ text: 'Heard.' }))
      const other = join(place.project, '..', 'other')
      const away = `${other}-away`
      mkdirSync(join(other, '.troupe'), { recursive: true })
      const life = startLife(place, {
        env: (crashes) => (crashes === 0 ? { TROUPE_CRASH_AT: 'trigger.elsewhere.after-commit:1' } : {}),
        limit: 1,
        onDeath: async () => {
          renameSync(away, other)
          await endLeases(place)
        },
      })
      const client = createClient(life)
      const action = { type: 'send', to: 'researcher', message: 'Now' }
      const body = { type: 'delayed', config: { delaySeconds: 5 }, action, clientId: 'one' }
      const path = `/api/triggers?project=${encodeURIComponent(other)}`
      const made = await client.request<Trigger>('POST', path, body)
      renameSync(other, away)
      const fired = async () => {
        const rows = await readRows(place)
        return rows.trigger_fires.length > 0 ? rows : undefined
      }
      await Promise.race([life.broken, eventually(fired, 120, 200)])
      const { trigger_fires: fires, mail, triggers } = await readRows(place)
      expect(fires).toMatchObject([{ trigger_id: made.body.id, outcome: 'fired' }])
      expect(mail.filter(({ content }) => content === 'Now')).toHaveLength(1)
      expect(triggers[0]).toMatchObject({ status: 'fired', fires: 1 })
      expect(life.crashes).toBe(1)
      expect((await life.stop()).code).toBe(0)
    }),
)
