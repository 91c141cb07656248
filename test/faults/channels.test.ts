import { describe, expect, test } from 'vitest'
import type { InboxItem } from '../../src/contract/inbox.ts'
import type { Message } from '../../src/contract/messages.ts'
import { storesInTurn } from '../kit/database.ts'
import { eventually } from '../kit/processes.ts'
import { openReceiver } from '../kit/receivers.ts'
import { askPerson, parts, spawn } from '../kit/script.ts'
import { createClient } from './client.ts'
import { startLife } from './life.ts'
import { inPlace } from './place.ts'
import { changeRows, endLeases, readRows } from './rows.ts'

/** Where one server after another is killed. */
const points = [
  'channel.route.before-commit:1',
  'channel.route.after-commit:1',
  'channel.try.before-commit:1',
  'channel.try.after-commit:1',
  'channel.sent:1',
  'channel.settle.before-commit:1',
  'channel.settle.after-commit:1',
  'everything.pause.before-commit:1',
  'everything.paused:1',
  'everything.resumed:1',
  'everything.resume.after-commit:1',
  'channel.used.before-commit:1',
]

describe.each(storesInTurn(import.meta.filename))('one server after another is killed on %s', (store) => {
  test('and a question three deep is told to its channel under one id, waits, and is answered once: no call is repeated', {
    timeout: 300_000,
  }, async () => {
    const receiver = await openReceiver()
    const channels = { to: { team: { type: 'webhook', url: receiver.url, private: true } } }
    await inPlace(
      store,
      async (place) => {
        parts(place, {
          Start: [{ calls: [spawn('researcher', 'Find out')] }, { text: 'Done.' }],
          'Find out': [{ calls: [spawn('writer', 'Write it')] }, { text: 'Found.' }],
          'Write it': [
            { calls: [{ name: 'bash', input: { command: 'echo once >> effects' } }] },
            { calls: [askPerson] },
            { text: 'Written.' },
          ],
        })
        const life = startLife(place, {
          env: (crashes) => ({ TROUPE_CRASH_AT: points[crashes] ?? '' }),
          limit: points.length,
          onDeath: async () => {
            await endLeases(place)
            await changeRows(place, `update timers set due_at = 0 where kind = 'delivery'`)
          },
        })
        const client = createClient(life)
        const crashes = (count: number) =>
          Promise.race([life.broken, eventually(async () => life.crashes >= count || undefined, 200, 50)])
        const top = await client.open('one', 'assistant')
        await client.send(top, 'start', 'Start')
        await crashes(7)
        const sent = async () => (await readRows(place)).deliveries.some(({ state }) => state === 'done') || undefined
        await Promise.race([life.broken, eventually(sent, 60, 100)])
        expect(new Set(receiver.posted.map(({ headers }) => headers['troupe-delivery'])).size).toBe(1)

        await client.request('POST', '/api/pause')
        await crashes(9)
        await client.request('POST', '/api/pause')
        await client.request('POST', '/api/resume')
        await crashes(points.length - 1)
        await client.request('POST', '/api/resume')
        const { items } = (await client.request<{ items: InboxItem[] }>('GET', '/api/inbox?status=open')).body
        const [item] = items.filter(({ kind }) => kind === 'question')
        expect(item!.lineage.map(({ kind }) => kind)).toEqual(['session', 'session', 'session', 'task'])
        // The answer is given before its link counts as used; whoever sends the form again hears so.
        const link = new URL((receiver.posted.at(-1)!.body as { answer: string }).answer).pathname
        const send = async () =>
          fetch(`${(await life.server()).url}${link}`, { method: 'POST', body: new URLSearchParams({ answer: 'Yes' }) })
        await send().catch(() => undefined)
        await crashes(points.length)
        expect((await send()).status).toBe(409)
        const again = await client.request('POST', `/api/inbox/${item!.id}/answer`, { answer: 'No' })
        expect(again.status).toBe(409)
        const done = async () => {
          const { body } = await client.request<{ items: Message[] }>('GET', `/api/sessions/${top}/messages`)
          return JSON.stringify(body.items).includes('Done.') || undefined
        }
        await Promise.race([life.broken, eventually(done, 60, 100)])
        const calls = (await readRows(place)).calls.filter(({ name }) => name === 'bash')
        expect(calls).toHaveLength(1)
        expect((await life.stop()).code).toBe(0)
      },
      { server: { publicUrl: 'http://troupe.test' }, channels, routes: [{ kinds: ['question'], channels: ['team'] }] },
    )
  })
})
