import type { ToolResultPart } from '../../../src/contract/messages.ts'
import type { SeenRequest } from '../../kit/vendor/server.ts'
import type { Acknowledged } from '../client.ts'
import { badEvents, badLog, callsIn, resultsOf, unrest } from '../invariants.ts'
import { type Rows, rowsOf } from '../rows.ts'
import { NAP_SECONDS } from './load.ts'

/** What became of the work that was done under one kind of fault. */
export interface Tally {
  readonly mails: number
  readonly asks: number
  readonly effects: number
  readonly lost: readonly string[]
  readonly twice: readonly string[]
  /** Turns that a person would have to resume. */
  readonly errors: readonly string[]
  /** Whatever else is not as it should be. */
  readonly wrong: readonly string[]
}

/** Everything acknowledged against everything that is there, and every effect against the call that had it. */
export function tally(acknowledged: Acknowledged, all: Rows, lines: readonly string[]): Tally {
  const rows = rowsOf(all, new Set(acknowledged.sessions.map(({ id }) => id)))
  const lost: string[] = []
  const twice: string[] = []
  const count = (times: number, what: string): void => {
    if (times < 1) lost.push(what)
    if (times > 1) twice.push(`${what}, ${times} times`)
  }
  const made = Map.groupBy(rows.sessions, ({ client_id }) => client_id)
  for (const { clientId } of acknowledged.sessions) count(made.get(clientId)?.length ?? 0, `session ${clientId}`)
  const sent = Map.groupBy(rows.mail, ({ client_id }) => client_id)
  for (const { clientId, content } of acknowledged.mail) {
    const same = (sent.get(clientId) ?? []).filter((row) => row.content === content)
    count(same.length, `mail ${clientId}`)
  }
  const read = Map.groupBy(rows.messages, ({ mail_id }) => mail_id)
  for (const { id, content } of rows.mail) count(read.get(id)?.length ?? 0, `message "${content}"`)

  const written = Map.groupBy(lines, (line) => line)
  const results = new Map<string, ToolResultPart>()
  const parts = rows.messages.map(({ parts }) => JSON.parse(parts))
  for (const result of parts.flatMap(resultsOf)) results.set(result.callId, result)
  const ordered = new Set(acknowledged.mail.flatMap(({ content }) => /^write (\S+)/.exec(content)?.[1] ?? []))
  let effects = 0
  for (const { callId, name, input } of parts.flatMap(callsIn)) {
    if (name !== 'bash') continue
    const id = /echo (\S+)/.exec(JSON.stringify(input))?.[1] ?? ''
    const times = written.get(id)?.length ?? 0
    const result = results.get(callId)
    // The model is told when a command may not have run, and decides.
    const told = result?.error === true && String(result.output).includes('outcome unknown')
    if (times > 0 || !told) count(times, `effect ${id}`)
    if (!ordered.delete(id)) twice.push(`call for ${id}`)
    effects += times
  }
  for (const id of ordered) lost.push(`call for ${id}`)
  const asks = [...results.values()].filter(({ name }) => name === 'agent_message')
  return {
    mails: acknowledged.mail.length,
    asks: asks.length,
    effects,
    lost,
    twice,
    errors: [
      ...rows.turns.flatMap(({ id, ended_as, reason }) =>
        ended_as === 'done' ? [] : [`turn ${id} ended as ${ended_as}: ${reason}`],
      ),
      ...rows.sessions.flatMap(({ id, status, reason }) =>
        status === 'error' ? [`session ${id} is in error: ${reason}`] : [],
      ),
    ],
    wrong: [
      ...all.damage.map((line) => `the database is damaged: ${line}`),
      ...asks.flatMap(({ output }) => badAsk(output)),
      ...badOrder(acknowledged, rows),
      ...rows.sessions.flatMap((session) => {
        const own = rowsOf(rows, new Set([session.id]))
        const quiet = session.status === 'error' ? { ...session, status: 'idle' as const } : session
        return [...unrest(quiet, own, ['done', 'error']), ...badLog(session.id, own), ...badEvents(session.id, own)]
      }),
    ],
  }
}

/** A question is answered, refused because it would close a circle, or left for a message that came meanwhile. */
function badAsk(output: unknown): string[] {
  const { status, response } = Object(output) as { status?: string; response?: string }
  const circle = status === 'refused' && response?.includes('each waits for the next')
  const left = typeof output === 'string' && output.startsWith('The wait was interrupted by a message')
  return status === 'complete' || circle || left ? [] : [`a question ended with ${JSON.stringify(output)}`]
}

/** What one sender wrote to one session is read in that order; held mail comes last by its nature, in order too. */
function badOrder({ mail: sent }: Acknowledged, { mail, messages }: Rows): string[] {
  const rowOf = new Map(mail.map((row) => [row.id, row]))
  const senderOf = new Map(sent.map(({ mailId, clientId }) => [mailId, clientId.replace(/-\d+$/, '')]))
  const line = (id: string) =>
    [senderOf.get(id), rowOf.get(id)?.session_id, rowOf.get(id)?.outcome === 'held' && 'held'].join(' ')
  const wanted = Map.groupBy(senderOf.keys(), line)
  const read = messages.flatMap(({ mail_id }) => (mail_id !== null && senderOf.has(mail_id) ? [mail_id] : []))
  const got = Map.groupBy(read, line)
  return [...wanted].flatMap(([key, ids]) =>
    ids.join() === got.get(key)?.join() ? [] : [`${key}: mail was not read in the order it was sent`],
  )
}

/** How far apart two hosts may be in what they hold to be the database's time. */
const CLOCK_ERROR_MS = 100

/** Watches from the model's side that no one who sleeps wakes too early. */
export function watchNaps() {
  const asleep = new Map<string, number>()
  const early: string[] = []
  return {
    early,
    /** The first time counts: the model is asked again when its answer was lost, but not only then. */
    fellAsleep(id: string): void {
      if (!asleep.has(id)) asleep.set(id, performance.now())
    },
    look({ messages }: SeenRequest): void {
      for (const { id, text } of messages.flatMap(({ results }) => results)) {
        const since = asleep.get(id)
        // A message that comes meanwhile ends the wait, and says so.
        if (since === undefined || !text.includes('Slept for')) continue
        asleep.delete(id)
        const slept = performance.now() - since
        if (slept < NAP_SECONDS * 1000 - CLOCK_ERROR_MS) early.push(`${id} woke after ${Math.round(slept)} ms`)
      }
    },
  }
}
