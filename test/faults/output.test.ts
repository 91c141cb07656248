import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createClient } from './client.ts'
import { startLife } from './life.ts'
import { inPlace } from './place.ts'

const GIB = 1024 ** 3
const PEAK_MB = 400

test('a gigabyte of output costs the server little memory, and others are answered meanwhile', () =>
  inPlace('sqlite', async (place) => {
    const life = startLife(place, { limit: 0 })
    const client = createClient(life)
    const floods = {
      lines: `yes | head -c ${GIB / 2}; echo end of it`,
      'one line': `head -c ${GIB / 4} /dev/zero | tr '\\0' x; echo end of it`,
      'in the background': `echo begun; yes é | head -c ${GIB / 4}`,
    }
    for (const [word, command] of Object.entries(floods)) {
      const input = { command, timeout: 600, background: word === 'in the background' }
      place.vendor.script(
        ({ messages }) => (messages.at(-1)?.role === 'tool' ? { text: 'Seen.' } : { calls: [{ name: 'bash', input }] }),
        { word },
      )
    }
    const say = async (word: string) => {
      const id = await client.open(word, 'assistant')
      const { mailId } = await client.send(id, `mail ${word}`, word)
      return { id, reply: await client.settled(mailId) }
    }
    const flooded = Promise.all(Object.keys(floods).map(say))
    for (let n = 0; n < 20; n++) expect((await say(`hello ${n}`)).reply).toMatchObject({ end: 'done' })
    for (const { id, reply } of await flooded) {
      expect(reply).toMatchObject({ end: 'done', reply: 'Seen.' })
      const { body } = await client.request('GET', `/api/sessions/${id}/messages`)
      expect(JSON.stringify(body)).toMatch(/characters cut[\s\S]*end of it|bg_/)
    }
    expect(peakOf((await life.server()).pid)).toBeLessThan(PEAK_MB)
    expect(await life.stop()).toMatchObject({ code: 0 })
  }))

/** The most memory that the process ever had, in megabytes. */
const peakOf = (pid: number): number =>
  Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
