import { readFileSync } from 'node:fs'
import type { Reply } from '../../src/contract/api.ts'
import type { Reply as Scripted } from '../kit/vendor/server.ts'
import type { Client } from './client.ts'
import type { FaultPlace } from './place.ts'

const MEGABYTES = 200

const some = 'x'.repeat(4000)
const call = { calls: [{ name: 'read_file', input: `{"path":"${some}` }] }
const LONG = /was cut and not kept: it was longer than 4 MB/
const SILENT = /said nothing in 16 MB/
/** Each answer that never ends, and what must become of it: words of the model when it was told, or the reason. */
const floods: Record<string, Scripted & { readonly becomes: RegExp }> = {
  'text without an end': { text: some, chunks: 1, flood: { of: 'text', megabytes: MEGABYTES }, becomes: LONG },
  'thoughts without an end': { reasoning: some, chunks: 1, flood: { of: 'text', megabytes: MEGABYTES }, becomes: LONG },
  'a call without an end': { ...call, flood: { of: 'call', megabytes: MEGABYTES }, becomes: /^Smaller, then\.$/ },
  'another call without an end': { ...call, flood: { of: 'call', megabytes: MEGABYTES }, becomes: /^Smaller, then\.$/ },
  'comments without an end': { text: some, flood: { of: 'comments', megabytes: MEGABYTES }, becomes: SILENT },
  'a line without an end': { text: some, flood: { of: 'line', megabytes: MEGABYTES }, becomes: SILENT },
}

/** Six at once, each in a session of its own. Gives what became of them otherwise than it should. */
export async function endless(place: FaultPlace, client: Client, name = ''): Promise<string[]> {
  const ends = await Promise.all(
    Object.entries(floods).map(async ([flood, { becomes, ...reply }]) => {
      const word = `${name}${flood}`
      place.vendor.script(({ messages }) => (messages.at(-1)?.role === 'tool' ? { text: 'Smaller, then.' } : reply), {
        word,
      })
      const id = await client.open(word, 'assistant')
      const { mailId } = await client.send(id, `mail ${word}`, word)
      const told = wordsOf(await client.settled(mailId))
      return becomes.test(told) ? [] : [`${word}: ${told}`]
    }),
  )
  return ends.flat()
}

const wordsOf = ({ end, reply, reason }: Reply): string => (end === 'done' ? reply : reason) ?? ''

/** The most memory that the process ever had, in megabytes. */
export const peakOf = (pid: number): number =>
  Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
