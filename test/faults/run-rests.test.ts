import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Run } from '../../src/contract/runs.ts'
import { storesInTurn } from '../kit/database.ts'
import { eventually } from '../kit/processes.ts'
import { finishRun } from '../kit/runs.ts'
import type { SeenRequest } from '../kit/vendor/reply.ts'
import { createClient } from './client.ts'
import { startLife } from './life.ts'
import { type FaultPlace, inPlace } from './place.ts'
import { changeRows, readRows, rest } from './rows.ts'

/** What runs and the page come by seldom, in the order of the story below: the server is killed at each. */
const points = [
  'layout.put.after-commit',
  ...['run.unwritten.after-commit', 'run.elsewhere.after-commit'],
  ...['run.next.before-commit', 'run.next.after-commit'],
]
const SECONDS = 60

describe.each(storesInTurn(import.meta.filename))('kills at what is seldom, on %s', (store) => {
  test(
    'lose no layout, write the files of a run once they can be written, and begin the next run once',
    { timeout: 300_000 },
    () => inPlace(store, play),
  )
})

async function play(place: FaultPlace): Promise<void> {
  place.vendor.script(leads)
  // The folder of runs is a file: nothing can be written there.
  const runs = join(place.project, '.troupe/runs')
  mkdirSync(join(place.project, '.troupe'), { recursive: true })
  writeFileSync(runs, 'in the way')
  let here = 'null'
  const life = startLife(place, {
    env: (crashes) => ({ TROUPE_CRASH_AT: points[crashes] ?? 'none' }),
    limit: points.length,
    async onDeath(crashes) {
      if (crashes !== 2 && crashes !== 3) return
      const [{ host } = { host: null }] = (await readRows(place)).sessions
      if (crashes === 2 && host !== null) here = `'${host}'`
      if (crashes === 3) rmSync(runs)
      await changeRows(place, `update sessions set host = ${crashes === 2 ? "'elsewhere'" : here}`)
      await changeRows(place, 'update timers set due_at = 0')
    },
  })
  const client = createClient(life)
  const killed = (times: number) =>
    Promise.race([life.broken, eventually(() => (life.crashes >= times ? true : undefined), SECONDS, 50)])

  await client.request('PUT', '/api/me/layout', { value: { open: ['run_1'] } })
  expect(life.crashes).toBe(1)
  expect((await client.request('GET', '/api/me/layout')).body).toMatchObject({ value: { open: ['run_1'] } })

  const run = (await client.request<Run>('POST', '/api/runs', { goal: 'First goal', clientId: 'one' })).body
  await killed(3)
  await rest(place, life, SECONDS)
  expect(readFileSync(join(runs, run.id, '_goal.md'), 'utf8')).toBe('First goal\n')

  await client.send(run.sessionId, 'two', 'Another')
  await killed(5)
  await rest(place, life, SECONDS)
  const rows = await readRows(place)
  expect(rows.runs.map(({ goal, status }) => `${goal}: ${status}`).toSorted()).toEqual([
    'First goal: finished',
    'Second goal: finished',
  ])
  expect(rows.inbox.filter(({ title }) => title.includes('cannot be written'))).toHaveLength(1)
  expect((await life.stop()).code).toBe(0)
}

/** Finishes each run, and begins the second when a person asks for it. */
function leads({ messages }: SeenRequest) {
  const heard = (words: string) => messages.some(({ role, text }) => role === 'user' && text.includes(words))
  const called = (name: string) => messages.flatMap(({ calls }) => calls).filter((call) => call.name === name).length
  if (heard('Another') && called('start_run') === 0)
    return { calls: [{ name: 'start_run', input: { goal: 'Second goal' } }] }
  const wanted = heard('has begun') ? 2 : 1
  return called('finish') < wanted ? { calls: [finishRun('Done.')] } : { text: 'Noted.' }
}
