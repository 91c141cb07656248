import { join } from 'node:path'
import type { Reply } from '../kit/vendor/server.ts'
import type { Client } from './client.ts'
import type { Play } from './crash.ts'
import { broken } from './invariants.ts'
import type { Life } from './life.ts'
import type { FaultPlace } from './place.ts'
import { type Rows, rowsOf } from './rows.ts'
import { linesOf } from './scenario.ts'

/** The boundaries of a compaction, each of which the play of this file comes by. */
export const compactionBoundaries = [
  'compaction.begin',
  'compaction.ask',
  'compaction.note',
  'compaction.finish',
] as const

const LONG = 'So it was told at great length. '.repeat(400)
const SUMMARY = 'Goal: a long story. State: it was told.'
const NOTE = 'The story is long.'
/** To memory twice, the second time to say that there is no more; and once to sum up. */
const REQUESTS = 3

interface Compacted {
  readonly sessionId: string
  readonly lines: readonly string[]
  /** What the model read for its last answer. */
  readonly last: string
}

/**
 * The first answer fills the window. Before the second the history is compacted: the agent writes a line to memory, and
 * a summary takes the place of the first turn.
 */
async function tell(place: FaultPlace, _: Life, client: Client, number: number): Promise<Compacted> {
  const word = `#${number}#`
  const file = `story-${number}.md`
  let last = ''
  place.vendor.script(
    ({ system, messages }): Reply => {
      const read = messages.map(({ text }) => text).join('\n')
      if (system.startsWith('You sum up')) return { text: `${SUMMARY} ${word}` }
      if (read.includes('about to be replaced by a summary')) {
        const noted = messages.some(({ results }) => results.some(({ text }) => text.includes(file)))
        return noted
          ? { text: 'No more.' }
          : { calls: [{ name: 'memory_write', input: { content: NOTE, path: file } }] }
      }
      if (!read.includes('And then?')) return { text: LONG, usage: { input: 20_000, output: 10_000 } }
      last = read
      return { text: 'The end.' }
    },
    { word },
  )
  // Only a trusted project has memory.
  const { hash } = (await client.request<{ hash: string }>('GET', '/api/trust')).body
  await client.request('POST', '/api/trust', { trusted: true, hash })
  const sessionId = await client.open(`story ${number}`)
  const first = await client.send(sessionId, `first ${number}`, `Tell me a long story ${word}.`)
  await client.settled(first.mailId)
  const second = await client.send(sessionId, `second ${number}`, `And then? ${word}`)
  const end = await client.settled(second.mailId)
  if (end.reply !== 'The end.') throw new Error(`It did not end: ${JSON.stringify(end)}`)
  return { sessionId, last, lines: linesOf(join(place.project, '.troupe', 'memory', 'agents', 'coder', file)) }
}

/** One compaction, each of its requests paid once, its line in memory once, and the model read the summary instead. */
function verdict({ sessionId, last, lines }: Compacted, all: Parameters<Play<Compacted>['verdict']>[1], rows: Rows) {
  const own = rowsOf(rows, new Set([sessionId]))
  const mine = <T extends { readonly sessionId: string }>(list: readonly T[]) =>
    list.filter((one) => one.sessionId === sessionId)
  const acknowledged = {
    sessions: all.sessions.filter(({ id }) => id === sessionId),
    mail: mine(all.mail),
    answers: mine(all.answers),
  }
  const found = broken(acknowledged, own)
  const [session] = own.sessions
  const states = own.compactions.map(({ state }) => state).join()
  if (states !== 'done' || session?.compaction_count !== 1) found.push(`the compactions are ${states}`)
  const paid = own.requests.filter(({ outcome }) => outcome === 'compaction').length
  if (paid !== REQUESTS) found.push(`${paid} requests of the compaction were paid`)
  const input = own.requests.reduce((sum, { tokens_input }) => sum + tokens_input, 0)
  if (session?.tokens_input !== input)
    found.push(`the session used ${session?.tokens_input} tokens, paid were ${input}`)
  if (lines.filter((line) => line.includes(NOTE)).length !== 1) found.push(`memory has: ${lines.join(' | ')}`)
  if (!last.includes(SUMMARY) || last.includes(LONG)) found.push('the model did not read the summary instead')
  return found
}

export const story: Play<Compacted> = { run: tell, verdict }

/** The points of the compaction, before and after each commit and each request, and of what it writes to memory. */
export const ofCompaction = (points: readonly string[]): string[] =>
  points.filter((point) => /^(compaction|memory)\./.test(point))
