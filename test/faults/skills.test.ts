import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { putFile } from '../kit/files.ts'
import { skillFile, useSkill } from '../kit/skills.ts'
import { createClient } from './client.ts'
import { resultsOf } from './invariants.ts'
import { startLife } from './life.ts'
import { inPlace } from './place.ts'
import { readRows } from './rows.ts'

/** Around the safe point that tells its text, and around its helper. */
const points = [
  ...['turn.step.before-commit:1', 'turn.step.after-commit:1'],
  ...['task.spawn.before-commit:1', 'task.spawn.after-commit:1'],
]

// Processes and calls are what is at stake, and they are alike on both stores.
describe.for(['sqlite'] as const)('on %s', (store) => {
  test(
    'kill -9 around /name and its helper: its text is told once, its helper works once, its result comes once',
    { timeout: 300_000 },
    () =>
      inPlace(store, async (place) => {
        const files = {
          ...skillFile('notes', 'Note down $ARGUMENTS.', { at: 'skills' }),
          ...skillFile('study', 'Study $ARGUMENTS.', { at: 'skills', context: 'fork' }),
        }
        for (const [path, text] of Object.entries(files)) putFile(join(place.home, path), text)
        place.vendor.script(({ messages }) => {
          const text = messages.map((message) => message.text).join('\n')
          if (text.includes('your last message is the result')) return { text: 'It is blue.' }
          const done = messages.some(({ results }) => results.length > 0)
          return text.includes('/study') && !done ? { calls: [useSkill('study', 'the sky')] } : { text: 'Done.' }
        })
        for (const [number, point] of points.entries()) {
          const life = startLife(place, {
            env: (crashes) => ({ TROUPE_CRASH_AT: crashes === 0 ? point : 'none' }),
            limit: 1,
          })
          const client = createClient(life)
          for (const [what, words] of [
            ['notes', `number ${number}`],
            ['study', 'the sky'],
          ]) {
            const session = await client.open(`${what} ${number}`, 'assistant')
            const { mailId } = await client.send(session, `mail ${what} ${number}`, `/${what} ${words}`)
            expect(await client.settled(mailId)).toMatchObject({ end: 'done', reply: 'Done.' })
          }
          expect([point, life.crashes]).toEqual([point, 1])
          await life.stop()
        }
        const { messages } = await readRows(place)
        for (const number of points.keys())
          expect(messages.filter(({ parts }) => parts.includes(`Note down number ${number}.`))).toHaveLength(1)
        const results = messages.flatMap(({ parts }) => resultsOf(JSON.parse(parts)))
        expect(results.filter(({ output }) => JSON.stringify(output).includes('It is blue.'))).toHaveLength(
          points.length,
        )
        expect(messages.filter(({ parts }) => parts.includes('Study the sky.'))).toHaveLength(points.length)
      }),
  )
})
