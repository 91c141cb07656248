import type { Session } from '../../src/contract/sessions.ts'
import { eventually } from '../kit/processes.ts'
import type { Reply } from '../kit/vendor/server.ts'
import type { Client } from './client.ts'
import type { Play } from './crash.ts'
import { badEvents, badLog, unrest } from './invariants.ts'
import type { Life } from './life.ts'
import type { FaultPlace } from './place.ts'
import { type Rows, rest, rowsOf } from './rows.ts'

/** How a compaction that a person asks for begins and comes to nothing; the play of this file comes by each. */
export const compactionEnds = ['session.compact', 'compaction.stop', 'compaction.fail'] as const

const SECONDS = 90
const LONG = 'So it was told at length. '.repeat(100)

interface Ended {
  readonly sessionId: string
  /** What the model read for its last answer. */
  readonly last: string
}

/** A person asks for a compaction and calls it off, asks again, and the model refuses; then they go on. */
async function tell(place: FaultPlace, life: Life, client: Client, number: number): Promise<Ended> {
  const word = `ends#${number}#`
  let last = ''
  let sums = 0
  let summary: Reply = { text: 'Goal', hang: true }
  place.vendor.script(
    ({ system, messages }): Reply => {
      if (system.startsWith('You sum up')) {
        sums += 1
        return summary
      }
      last = messages.map(({ text }) => text).join('\n')
      return { text: LONG }
    },
    { word },
  )
  const sessionId = await client.open(`ends ${number}`)
  const say = async (what: string) =>
    client.settled((await client.send(sessionId, `${what} ${number}`, `${what} ${word}`)).mailId)
  for (const what of ['First', 'Second', 'Third']) await say(what)
  const path = `/api/sessions/${sessionId}`
  await client.request('POST', `${path}/compact`, {})
  await Promise.race([life.broken, eventually(async () => sums > 0 || undefined, SECONDS, 20)])
  await client.request('POST', `${path}/cancel`, {})
  const idle = async () => (await client.request<Session>('GET', path)).body.status === 'idle' || undefined
  await Promise.race([life.broken, eventually(idle, SECONDS, 50)])
  summary = { error: { kind: 'bad-request' } }
  await client.request('POST', `${path}/compact`, {})
  await rest(place, life, SECONDS)
  await say('Fourth')
  return { sessionId, last }
}

/** The history is as it was, nothing is open or asked for, and the request that was called off is paid once at most. */
function verdict({ sessionId, last }: Ended, _: unknown, rows: Rows): string[] {
  const own = rowsOf(rows, new Set([sessionId]))
  const [session] = own.sessions
  if (session === undefined) return ['the session is gone']
  const found = [...unrest(session, own, ['done', 'canceled']), ...badLog(sessionId, own), ...badEvents(sessionId, own)]
  const states = new Set(own.compactions.map(({ state }) => state))
  if (states.size !== 1 || !states.has('failed')) found.push(`the compactions are ${[...states]}`)
  if (session.compaction_count !== 0 || session.compact_focus !== null) found.push('a compaction is still asked for')
  const aborted = own.requests.filter(({ outcome }) => outcome === 'aborted').length
  if (aborted > 1) found.push(`${aborted} requests that were called off were paid`)
  if (!last.includes('First') || !last.includes('Fourth')) found.push('the model did not read the whole history')
  return found
}

export const compactionThatEnds: Play<Ended> = { run: tell, verdict }
