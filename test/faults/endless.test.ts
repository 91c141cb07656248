import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { Message } from '../../src/contract/messages.ts'
import type { Reply } from '../kit/vendor/server.ts'
import { createClient } from './client.ts'
import { startLife } from './life.ts'
import { inPlace } from './place.ts'

const MEGABYTES = 200
const PEAK_MB = 400

const some = 'x'.repeat(4000)
const call = { calls: [{ name: 'read_file', input: `{"path":"${some}` }] }
const floods: Record<string, Reply> = {
  'text without an end': { text: some, chunks: 1, flood: { of: 'text', megabytes: MEGABYTES } },
  'thoughts without an end': { reasoning: some, chunks: 1, flood: { of: 'text', megabytes: MEGABYTES } },
  'a call without an end': { ...call, flood: { of: 'call', megabytes: MEGABYTES } },
  'another call without an end': { ...call, flood: { of: 'call', megabytes: MEGABYTES } },
  'comments without an end': { text: some, flood: { of: 'comments', megabytes: MEGABYTES } },
  'a line without an end': { text: some, flood: { of: 'line', megabytes: MEGABYTES } },
}

test('six answers without an end are cut, told to the model or the person, and cost the server little memory', () =>
  inPlace('sqlite', async (place) => {
    const life = startLife(place, { limit: 0 })
    const client = createClient(life)
    for (const [word, reply] of Object.entries(floods)) {
      place.vendor.script(({ messages }) => (messages.at(-1)?.role === 'tool' ? { text: 'Smaller, then.' } : reply), {
        word,
      })
    }
    const say = async (word: string) => {
      const id = await client.open(word, 'assistant')
      const { mailId } = await client.send(id, `mail ${word}`, word)
      return { id, reply: await client.settled(mailId) }
    }
    const flooded = Promise.all(Object.keys(floods).map(say))
    // Whoever else asks is answered while the floods come in.
    for (let n = 0; n < 10; n++) expect((await say(`hello ${n}`)).reply).toMatchObject({ end: 'done' })
    const ends = await flooded
    expect(ends.map(({ reply }) => [reply.end, reply.end === 'done' ? reply.reply : reply.reason])).toEqual([
      ['error', expect.stringMatching(/was cut and not kept: it was longer than 4 MB/)],
      ['error', expect.stringMatching(/was cut and not kept: it was longer than 4 MB/)],
      ['done', 'Smaller, then.'],
      ['done', 'Smaller, then.'],
      ['error', expect.stringMatching(/said nothing in 16 MB/)],
      ['error', expect.stringMatching(/said nothing in 16 MB/)],
    ])
    const { body } = await client.request<{ items: Message[] }>('GET', `/api/sessions/${ends[2]?.id}/messages`)
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

/** The most memory that the process ever had, in megabytes. */
const peakOf = (pid: number): number =>
  Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
