import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { putFile } from '../kit/files.ts'
import { kitServer, planOf } from '../kit/mcp.ts'
import { eventually, processesWith } from '../kit/processes.ts'
import { createClient } from './client.ts'
import { resultsOf } from './invariants.ts'
import { startLife } from './life.ts'
import { type FaultPlace, inPlace } from './place.ts'
import { readRows } from './rows.ts'
import { linesOf } from './scenario.ts'

/** A server in the settings, found by a word that no other process has. */
function serve(place: FaultPlace, ...tools: string[]): string {
  const word = `300.${Date.now()}${Math.floor(Math.random() * 1e9)}`
  putFile(join(place.project, `plan-${word}.json`), planOf(...tools))
  const settings = join(place.home, 'settings.json')
  const before = JSON.parse(readFileSync(settings, 'utf8'))
  const mcpServers = { kit: kitServer(`plan-${word}.json`) }
  putFile(settings, { ...before, mcpServers, permissions: { allow: ['mcp:*'] } })
  return word
}

async function toolResults(place: FaultPlace) {
  const { messages } = await readRows(place)
  return messages.flatMap(({ parts }) => resultsOf(JSON.parse(parts)))
}

// Processes and calls are what is at stake, and they are alike on both stores.
describe.for(['sqlite'] as const)('on %s', (store) => {
  test('kill -9 while a server works on a call: no process of it is left, the call is not made again, and the model is told', () =>
    inPlace(store, async (place) => {
      const word = serve(place, 'wait')
      place.vendor.reply({ calls: [{ name: 'mcp__kit__wait', input: { word } }] }, { text: 'I see.' })
      const life = startLife(place)
      const client = createClient(life)
      const session = await client.open('session', 'assistant')
      const { mailId } = await client.send(session, 'mail', 'Run it')
      const left = () => [...processesWith(`plan-${word}`), ...processesWith(`sleep\0${word}`)]
      await eventually(() => processesWith(`sleep\0${word}`).length === 1)
      await life.kill()
      await eventually(() => left().length === 0)
      expect(await client.settled(mailId)).toMatchObject({ end: 'done', reply: 'I see.' })
      await life.stop()
      expect(await toolResults(place)).toMatchObject([
        { name: 'mcp__kit__wait', error: true, output: expect.stringContaining('outcome unknown') },
      ])
      expect(left()).toEqual([])
    }))

  test.for([
    ['mcp.before-call', []],
    ['mcp.after-call', ['done']],
  ] as const)(
    'a crash at %s: the call is made once at most, and the model is told that nobody knows',
    ([point, done]) =>
      inPlace(store, async (place) => {
        const word = serve(place, 'append')
        const file = join(place.project, 'done.txt')
        const call = { name: 'mcp__kit__append', input: { path: file, text: 'done' } }
        place.vendor.reply({ calls: [call] }, { text: 'I see.' })
        const life = startLife(place, {
          env: (crashes): Record<string, string> => (crashes === 0 ? { TROUPE_CRASH_AT: point } : {}),
        })
        const client = createClient(life)
        const session = await client.open('session', 'assistant')
        const { mailId } = await client.send(session, 'mail', 'Run it')
        expect(await client.settled(mailId)).toMatchObject({ end: 'done', reply: 'I see.' })
        expect(life.crashes).toBe(1)
        await life.stop()
        expect(await toolResults(place)).toMatchObject([
          { name: 'mcp__kit__append', error: true, output: expect.stringContaining('outcome unknown') },
        ])
        expect(linesOf(file)).toEqual(done)
        expect(processesWith(`plan-${word}`)).toEqual([])
      }),
  )
})
