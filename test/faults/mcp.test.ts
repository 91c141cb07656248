import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { stores } from '../kit/database.ts'
import { putFile } from '../kit/files.ts'
import { kitServer, planOf } from '../kit/mcp.ts'
import { eventually, processesWith } from '../kit/processes.ts'
import { createClient } from './client.ts'
import { resultsOf } from './invariants.ts'
import { startLife } from './life.ts'
import { inPlace } from './place.ts'
import { readRows } from './rows.ts'

describe.for(stores)('on %s', (store) => {
  test('kill -9 while a server works on a call: no process of it is left, the call is not made again, and the model is told', () =>
    inPlace(store, async (place) => {
      const word = `300.${Date.now()}${Math.floor(Math.random() * 1e9)}`
      const plan = `plan-${word}.json`
      putFile(join(place.project, plan), planOf('wait'))
      const settings = join(place.home, 'settings.json')
      const before = JSON.parse(readFileSync(settings, 'utf8'))
      const mcp = { mcpServers: { kit: kitServer(plan) }, permissions: { allow: ['mcp:*'] } }
      putFile(settings, { ...before, ...mcp })
      place.vendor.reply({ calls: [{ name: 'mcp__kit__wait', input: { word } }] }, { text: 'I see.' })
      const life = startLife(place)
      const client = createClient(life)
      const session = await client.open('session', 'assistant')
      const { mailId } = await client.send(session, 'mail', 'Run it')
      await eventually(() => processesWith(`sleep\0${word}`).length === 1)
      await life.kill()
      await eventually(() => processesWith(plan).length === 0 && processesWith(`sleep\0${word}`).length === 0)
      expect(await client.settled(mailId)).toMatchObject({ end: 'done', reply: 'I see.' })
      await life.stop()
      const { messages } = await readRows(place)
      expect(messages.flatMap(({ parts }) => resultsOf(JSON.parse(parts)))).toMatchObject([
        { name: 'mcp__kit__wait', error: true, output: expect.stringContaining('outcome unknown') },
      ])
      expect(processesWith(plan)).toEqual([])
    }))
})
