import type { Reply, SeenRequest } from '../../test/kit/vendor/reply.ts'
import { add, inputAt, lastWords, said, TOOL } from './job.ts'

/** What the vendor saw of one run. */
export interface Seen {
  /** Requests per conversation. */
  readonly talks: Record<string, number>
  /** When the first one came, in milliseconds since 1970. */
  readonly firstAt: number
  readonly problems: string[]
}

export const messageFor = (run: string, talk: string, calls: number, delay: number): string =>
  `bench ${run} ${talk} ${calls} ${delay}`

export const reportFor = (run: string): string => `report ${run}`

const ASKS = /^(bench|report) [^\n]*$/m

const runs = new Map<string, Seen>()

/** Runs inside the vendor's process: it asks for a tool at every step but the last, and counts for the report. */
export default function script(request: SeenRequest): Reply {
  // Reminders of the system come as messages too, behind the one that asks.
  const begun = request.messages.findLastIndex(({ role, text }) => role === 'user' && ASKS.test(text))
  const asked = request.messages[begun]!.text.split('\n').at(-1)!.split(' ')
  if (asked[0] === 'report') return { text: JSON.stringify(runs.get(asked[1]!) ?? null), chunks: 1 }

  const [, run = '', talk = '', calls = '0', delay = '0'] = asked
  const seen = runs.get(run) ?? { talks: {}, firstAt: performance.timeOrigin + performance.now(), problems: [] }
  runs.set(run, seen)
  seen.talks[talk] = (seen.talks[talk] ?? 0) + 1

  const results = request.messages.slice(begun + 1).filter(({ role }) => role === 'tool')
  const step = results.length
  const result = results.at(-1)?.results[0]?.text
  if (step > 0 && result !== add(inputAt(step - 1))) seen.problems.push(`${talk} step ${step}: got "${result}"`)
  if (step >= Number(calls) - 1) return { text: lastWords(Number(calls)), delay: Number(delay) }
  return { text: said(step), calls: [{ name: TOOL, input: inputAt(step) }], delay: Number(delay) }
}
