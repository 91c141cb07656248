import { describe, expect, test } from 'vitest'
import type { InboxItem } from '../../src/contract/inbox.ts'
import type { Session } from '../../src/contract/sessions.ts'
import { stores } from '../kit/database.ts'
import { createClient } from './client.ts'
import { startLife } from './life.ts'
import { inPlace } from './place.ts'

const ATTEMPTS = 3

describe.concurrent.for(stores)('on %s', (store) => {
  test('a turn that kills the server each time ends in error after three attempts, and everything else works', () =>
    inPlace(store, async (place) => {
      const life = startLife(place, { limit: ATTEMPTS })
      const client = createClient(life)
      let poisonous = true
      place.vendor.script(
        async () => {
          if (poisonous) process.kill((await life.server()).pid, 'SIGKILL')
          return { text: 'I am well again.' }
        },
        { word: 'poison' },
      )
      const ill = await client.open('ill', 'assistant')
      const well = await client.open('well', 'assistant')
      const poison = await client.send(ill, 'poison', 'Here is poison.')

      expect(await client.settled(poison.mailId)).toMatchObject({ ended: true, end: 'error' })
      expect(life.crashes).toBe(ATTEMPTS)
      const { body: session } = await client.request<Session>('GET', `/api/sessions/${ill}`)
      expect(session).toMatchObject({ status: 'error', reason: expect.stringContaining(`stopped ${ATTEMPTS} times`) })
      const inbox = await client.request<{ items: InboxItem[] }>('GET', '/api/inbox?status=open')
      expect(inbox.body.items).toMatchObject([{ kind: 'notice', body: expect.stringContaining('Send it a message') }])

      const hello = await client.send(well, 'hello', 'Hello')
      expect(await client.settled(hello.mailId)).toMatchObject({ end: 'done', reply: expect.stringContaining('Hello') })
      poisonous = false
      const again = await client.send(ill, 'again', 'Once more, please.')
      expect(await client.settled(again.mailId)).toMatchObject({ end: 'done', reply: 'I am well again.' })
      expect(life.crashes).toBe(ATTEMPTS)
      expect(await life.stop()).toMatchObject({ code: 0 })
      expect(place.vendor.rejections).toEqual([])
    }))
})
