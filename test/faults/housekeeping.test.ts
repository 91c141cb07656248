import { execFile } from 'node:child_process'
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import type { Trigger } from '../../src/contract/triggers.ts'
import { cast } from '../kit/cast.ts'
import { eventually } from '../kit/processes.ts'
import { createWorld } from '../kit/world.ts'
import { createClient } from './client.ts'
import { startLife } from './life.ts'
import { inPlace } from './place.ts'
import { endLeases, readRows } from './rows.ts'

const script = fileURLToPath(new URL('./keep-house.ts', import.meta.url))

test('kills while the person is told that old rows could not be archived leave one notice, and every row', {
  timeout: 240_000,
}, async () => {
  const world = await createWorld({ files: cast('ann') })
  const { id } = await world.session({ agent: 'ann' })
  await world.say(id, 'Hello')
  await world.server.stop()
  writeFileSync(join(world.home, 'archive'), 'in the way')
  const run = (env: Record<string, string>) =>
    promisify(execFile)(process.execPath, [script, world.home, world.project, '91'], {
      env: { ...process.env, ...world.env, ...env },
    })
  for (const point of ['retention.failed.before-commit', 'retention.failed.after-commit'])
    await expect(run({ TROUPE_CRASH_AT: point }), point).rejects.toMatchObject({ signal: 'SIGKILL' })
  await run({})
  await world.restart()
  expect((await world.inbox()).map(({ title }) => title)).toEqual(['Old rows could not be archived'])
  expect(await world.messages(id)).toHaveLength(2)
})

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
