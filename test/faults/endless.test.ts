import { expect, test } from 'vitest'
import type { Message } from '../../src/contract/messages.ts'
import { createClient } from './client.ts'
import { endless, peakOf } from './endless.ts'
import { startLife } from './life.ts'
import { inPlace } from './place.ts'

const PEAK_MB = 400

test('six answers without an end are cut, told to the model or the person, and cost the server little memory', () =>
  inPlace('sqlite', async (place) => {
    const life = startLife(place, { limit: 0 })
    const client = createClient(life)
    const flooded = endless(place, client)
    // Whoever else asks is answered while the floods come in.
    for (let n = 0; n < 10; n++) {
      const id = await client.open(`hello ${n}`, 'assistant')
      const { mailId } = await client.send(id, `hello mail ${n}`, 'Hello')
      expect(await client.settled(mailId)).toMatchObject({ end: 'done' })
    }
    expect(await flooded).toEqual([])
    const { id } = client.acknowledged.sessions.find(({ clientId }) => clientId.startsWith('a call'))!
    const { body } = await client.request<{ items: Message[] }>('GET', `/api/sessions/${id}/messages`)
    expect(body.items.flatMap(({ parts }) => parts)).toContainEqual(
      expect.objectContaining({
        type: 'tool-result',
        error: true,
        output: expect.stringMatching(/larger than 512 KB/),
      }),
    )
    // Asked once each; two were told that their call was too large, and ten said hello.
    expect(place.vendor.requests).toHaveLength(6 + 2 + 10)
    expect(peakOf((await life.server()).pid)).toBeLessThan(PEAK_MB)
    expect(await life.stop()).toMatchObject({ code: 0 })
    expect(place.vendor.rejections).toEqual([])
  }))
