import { z } from 'zod'
import type { HookEvent } from '../../contract/hooks.ts'
import { depthOf, LEVELS } from '../../lib/json.ts'
import { cutTo } from '../../lib/text.ts'
import type { HookRun } from './moment.ts'
import { type Ran, saying } from './process.ts'

/** As users of similar programs know it: 0 is well, 2 is a no with its reason on standard error, all else is a failure. */
const NO = 2

const SAID_CHARS = 4000

const Text = z.strictObject({ text: z.string().optional() })
const Decision = z.strictObject({
  decision: z.enum(['continue', 'deny']).optional(),
  reason: z.string().optional(),
  input: z.record(z.string(), z.unknown()).optional(),
})

type Said = Pick<HookRun, 'verdict' | 'said' | 'input'>

/** What a hook that came to its end has said. */
export function understood(event: HookEvent, ran: Exclude<Ran, { aborted: true }>): Said {
  if ('failed' in ran) return { verdict: 'failed', said: ran.failed }
  const { exitCode, stdout, stderr } = ran
  if (exitCode !== 0 && (exitCode !== NO || isEnd(event)))
    return { verdict: 'failed', said: `it ended with exit code ${exitCode}${saying(stderr)}` }
  if (exitCode === NO) return { verdict: event === 'beforeTool' ? 'denied' : 'said', said: bounded(stderr) }
  if (isEnd(event) || stdout.trim() === '') return { verdict: 'passed' }
  return event === 'beforeTool' ? decided(stdout) : told(stdout)
}

function decided(stdout: string): Said {
  const answer = Decision.safeParse(parsed(stdout))
  if (!answer.success) return nonsense('{"decision": "deny", "reason": "…"} or {"input": {…}}')
  const { decision, reason = '', input } = answer.data
  if (decision === 'deny') return { verdict: 'denied', said: bounded(reason) }
  return input === undefined ? { verdict: 'passed' } : { verdict: 'changed', input }
}

function told(stdout: string): Said {
  const answer = Text.safeParse(parsed(stdout))
  if (!answer.success) return nonsense('{"text": "…"}')
  const { text = '' } = answer.data
  return text.trim() === '' ? { verdict: 'passed' } : { verdict: 'said', said: bounded(text) }
}

const nonsense = (wanted: string): Said => ({
  verdict: 'failed',
  said: `it printed something else than ${wanted} on its standard output; what is for people belongs on standard error`,
})

/** Nobody waits for what these print. */
const isEnd = (event: HookEvent): boolean => event === 'turnEnd' || event === 'taskEnd'

const bounded = (text: string): string =>
  cutTo(text.trim(), SAID_CHARS, (missing) => `${missing} more characters were cut; a hook may say ${SAID_CHARS}`)

function parsed(text: string): unknown {
  if (depthOf(text) > LEVELS) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
