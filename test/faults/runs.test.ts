import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import type { Run } from '../../src/contract/runs.ts'
import { stores } from '../kit/database.ts'
import { eventually } from '../kit/processes.ts'
import { createClient } from './client.ts'
import { crashAt, dealt, nameOf, once, recordPoints } from './crash.ts'
import { startLife } from './life.ts'
import { inPlace } from './place.ts'
import { changeRows, readRows } from './rows.ts'
import { runBoundaries, running, runPlaces } from './run-play.ts'
import { linesOf } from './scenario.ts'

const LISTS = 2
/** In one run: it has dozens of places to be killed at, and takes longer than a server to start. */
const KILLS = 4

const cases = await Promise.all(
  stores.map(async (store) => {
    const points = await recordPoints(running, store)
    const own = points.filter((point) => /^(run|node|stage|worker|publish|files)\./.test(point))
    return { store, points, chosen: once(own, store) }
  }),
)

vi.setConfig({ maxConcurrency: 4 })

describe.concurrent.for(cases)('a crash in a run, on $store', ({ store, chosen }) => {
  test.for(dealt(chosen, LISTS))(
    'at %s and more leaves it to end as if nothing had happened',
    { timeout: 600_000 },
    async (some) => {
      expect(await crashAt(running, store, some, { kills: KILLS })).toEqual([])
    },
  )
})

test('every boundary of a run was crossed', () => {
  const crossed = new Set(cases[0]!.points.map(nameOf))
  const wanted = runBoundaries.flatMap((name) => [`${name}.before-commit`, `${name}.after-commit`])
  expect([...wanted, ...runPlaces].filter((name) => !crossed.has(name))).toEqual([])
})

test(
  'a crash while the files of a run are left to the host that has them loses no line of them',
  { timeout: 180_000 },
  () =>
    inPlace('sqlite', async (place) => {
      place.vendor.script(() => ({ text: 'Heard.', delay: new Promise(() => {}) }))
      const life = startLife(place, {
        env: (crashes) => (crashes === 0 ? { TROUPE_CRASH_AT: 'run.elsewhere.after-commit:1' } : {}),
        limit: 1,
        onDeath: () => changeRows(place, `update sessions set host = '${here}'`),
      })
      const client = createClient(life)
      const { id } = (await client.request<Run>('POST', '/api/runs', { goal: 'Goal', clientId: 'one' })).body
      const file = join(place.project, '.troupe', 'runs', id, '_messages.jsonl')
      await eventually(() => (linesOf(file).length === 1 ? true : undefined), 60)
      const here = (await readRows(place)).sessions[0]!.host
      await changeRows(place, "update sessions set host = 'elsewhere'")
      await client.request('POST', `/api/runs/${id}/messages`, { content: 'More', clientId: 'two' })
      await client.request('POST', `/api/runs/${id}/stop`)
      await Promise.race([life.broken, eventually(() => (linesOf(file).length === 2 ? true : undefined), 60)])
      expect(life.crashes).toBe(1)
      expect(linesOf(file).map((line) => JSON.parse(line).content)).toEqual(['Goal', 'More'])
      expect((await life.stop()).code).toBe(0)
    }),
)
