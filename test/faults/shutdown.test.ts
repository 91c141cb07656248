import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { InboxItem } from '../../src/contract/inbox.ts'
import { stores, storesInTurn } from '../kit/database.ts'
import { eventually, processesWith, within } from '../kit/processes.ts'
import { createClient } from './client.ts'
import { resultsOf } from './invariants.ts'
import { startLife } from './life.ts'
import { type FaultPlace, inPlace } from './place.ts'
import { readRows } from './rows.ts'
import { linesOf } from './scenario.ts'

const EXIT_SECONDS = 40

// One after another: the ten seconds are the server's, not those of five servers that start at once.
describe.for(stores)('on %s', (store) => {
  test('SIGTERM during a stream: it ends with 0, and the next server asks the model again', () =>
    inPlace(store, async (place) => {
      const streaming = Promise.withResolvers<void>()
      place.vendor.script(({ number }) => {
        streaming.resolve()
        return number === 1 ? { text: 'Half of', hang: true } : { text: 'All of it.' }
      })
      const life = startLife(place)
      const client = createClient(life)
      const session = await client.open('session', 'assistant')
      const { mailId } = await client.send(session, 'mail', 'Go')
      await streaming.promise
      expect(await within(EXIT_SECONDS, life.stop())).toMatchObject({ code: 0 })
      expect(await held(place)).toEqual([])

      const next = startLife(place)
      expect(await createClient(next).settled(mailId)).toMatchObject({ end: 'done', reply: 'All of it.' })
      await next.stop()
      expect((await readRows(place)).messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
      expect(place.vendor.requests.length).toBe(2)
    }))

  test('SIGTERM during a command: its processes are gone, and the model is told that the outcome is unknown', () =>
    inPlace(store, async (place) => {
      const { life, mailId, left } = await startCommand(place)
      expect(await within(EXIT_SECONDS, life.stop())).toMatchObject({ code: 0 })
      expect(left()).toEqual([])
      expect(await held(place)).toEqual([])

      const next = startLife(place)
      expect(await createClient(next).settled(mailId)).toMatchObject({ end: 'done', reply: 'I see.' })
      await next.stop()
      await expectUnknown(place)
    }))

  test('kill -9 during a command: its processes are gone within seconds, and the command is not repeated', () =>
    inPlace(store, async (place) => {
      const { life, client, mailId, left } = await startCommand(place)
      await life.kill()
      await eventually(() => (left().length > 0 ? undefined : true), 10)
      expect(await client.settled(mailId)).toMatchObject({ end: 'done', reply: 'I see.' })
      await life.stop()
      await expectUnknown(place)
    }))
})

// What waits is a row, and the lock is the data folder's, whatever the store.
describe.for(storesInTurn(import.meta.filename))('on %s', (store) => {
  test('SIGTERM while a question waits: the next server still has it, and goes on when it is answered', () =>
    inPlace(store, async (place) => {
      place.vendor.reply({ calls: [{ name: 'ask_human', input: { question: 'Which?' } }] }, { text: 'That one then.' })
      const life = startLife(place)
      const client = createClient(life)
      const session = await client.open('session', 'assistant')
      const { mailId } = await client.send(session, 'mail', 'Ask me')
      const inboxId = (await client.settled(mailId)).waits?.[0]?.inboxId ?? ''
      expect(await within(EXIT_SECONDS, life.stop())).toMatchObject({ code: 0 })

      const next = startLife(place)
      const again = createClient(next)
      const open = await again.request<{ items: InboxItem[] }>('GET', '/api/inbox?status=open')
      expect(open.body.items.map(({ id }) => id)).toEqual([inboxId])
      await again.answer(session, inboxId, 'the left one')
      expect(await again.settled(mailId)).toMatchObject({ end: 'done', reply: 'That one then.' })
      expect((await again.request('POST', `/api/inbox/${inboxId}/answer`, { answer: 'no, right' })).status).toBe(409)
      await next.stop()
    }))

  test('a second server on the data folder refuses and names the first, which goes on; after kill -9 the next one starts', () =>
    inPlace(store, async (place) => {
      const first = place.launch()
      const address = await first.ready
      const second = await within(20, place.launch().exited)
      expect(second.code).toBe(1)
      expect(JSON.parse(second.stderr)).toMatchObject({ error: { code: 'store.locked' } })
      expect(second.stderr).toContain(`pid ${first.pid}`)
      expect((await fetch(`${address?.url}/api/health`)).status).toBe(200)
      first.signal('SIGKILL')
      await first.exited
      const third = place.launch()
      expect(await within(20, third.ready)).toMatchObject({ pid: third.pid })
    }))
})

/** A command that ignores the polite signal and has a child in a session of its own; found by how long they sleep. */
async function startCommand(place: FaultPlace) {
  const word = `300.${Date.now()}${Math.floor(Math.random() * 1e9)}`
  const command = `trap "" TERM; echo begun >> runs.txt; setsid sleep ${word} & sleep ${word}; true`
  place.vendor.reply({ calls: [{ name: 'bash', input: { command } }] }, { text: 'I see.' })
  const life = startLife(place)
  const client = createClient(life)
  const session = await client.open('session')
  const { mailId } = await client.send(session, 'mail', 'Run it')
  const left = () => processesWith(`sleep\0${word}`)
  await eventually(() => (left().length === 2 ? true : undefined))
  return { life, client, mailId, left }
}

async function expectUnknown(place: FaultPlace): Promise<void> {
  const { messages } = await readRows(place)
  const results = messages.flatMap(({ parts }) => resultsOf(JSON.parse(parts)))
  expect(results).toMatchObject([{ name: 'bash', error: true, output: expect.stringContaining('outcome unknown') }])
  expect(JSON.stringify(place.vendor.requests.at(-1)?.messages)).toContain('outcome unknown')
  expect(place.vendor.rejections).toEqual([])
  expect(linesOf(join(place.project, 'runs.txt'))).toEqual(['begun'])
}

/** Sessions that somebody still has a lease on. */
const held = async (place: FaultPlace): Promise<string[]> =>
  (await readRows(place)).sessions.filter(({ lease_owner }) => lease_owner !== null).map(({ id }) => id)
