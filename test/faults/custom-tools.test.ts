import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { customTool } from '../kit/custom-tools.ts'
import { putFile } from '../kit/files.ts'
import { eventually, processesWith } from '../kit/processes.ts'
import { createClient } from './client.ts'
import { resultsOf } from './invariants.ts'
import { startLife } from './life.ts'
import { type FaultPlace, inPlace } from './place.ts'
import { readRows } from './rows.ts'
import { linesOf } from './scenario.ts'

/** Leaves a line, and then waits in a process of its own that is found by how long it sleeps. */
const waits = (word: string): string => `import { appendFileSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
export default (_, { workspace }) => {
  appendFileSync(join(workspace, 'runs.txt'), 'begun\\n')
  spawnSync('sleep', ['${word}'])
}`

async function crashed(place: FaultPlace, idempotent: boolean) {
  const word = `300.${Date.now()}${Math.floor(Math.random() * 1e9)}`
  const files = customTool('waits', waits(word), { definition: { idempotent, timeoutSeconds: 600 }, at: 'tools' })
  for (const [path, text] of Object.entries(files)) putFile(join(place.home, path), text)
  place.vendor.reply({ calls: [{ name: 'waits', input: {} }] }, { text: 'I see.' })
  const life = startLife(place)
  const client = createClient(life)
  const session = await client.open('session', 'assistant')
  const { mailId } = await client.send(session, 'mail', 'Run it')
  const left = () => processesWith(`sleep\0${word}`)
  await eventually(() => left().length === 1)
  const [before] = left()
  await life.kill()
  return { life, client, mailId, left, before }
}

// Processes and calls are what is at stake, and they are alike on both stores.
describe.for(['sqlite'] as const)('on %s', (store) => {
  test('kill -9 while a custom tool runs: its process is gone, it is not run again, and the model is told', () =>
    inPlace(store, async (place) => {
      const { life, client, mailId, left } = await crashed(place, false)
      expect(await client.settled(mailId)).toMatchObject({ end: 'done', reply: 'I see.' })
      expect(left()).toEqual([])
      await life.stop()
      const { messages } = await readRows(place)
      const results = messages.flatMap(({ parts }) => resultsOf(JSON.parse(parts)))
      expect(results).toMatchObject([
        { name: 'waits', error: true, output: expect.stringContaining('outcome unknown') },
      ])
      expect(linesOf(join(place.project, 'runs.txt'))).toEqual(['begun'])
    }))

  test('kill -9 while one runs that may be run again: the next server runs it again', () =>
    inPlace(store, async (place) => {
      const { life, left, before } = await crashed(place, true)
      // One look each time: the old one may go between two of them.
      await eventually(() => {
        const [now, ...more] = left()
        return now !== undefined && more.length === 0 && now !== before
      })
      expect(linesOf(join(place.project, 'runs.txt'))).toEqual(['begun', 'begun'])
      await life.stop()
      expect(left()).toEqual([])
    }))
})
