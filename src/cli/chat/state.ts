import type { Session } from '../../contract/sessions.ts'
import { dockHints, dockPlaceholder } from './dock.ts'
import type { ChatSession } from './session.ts'
import type { Status } from './status.ts'

const idleHints = ['/ commands · @ files · Ctrl-O details', '/ commands · @ files', '/help']
const workingHints = ['Esc stops · Enter queues', 'Esc stops']
const leavingHints = ['Ctrl-C again leaves']

interface Moment {
  readonly now: number
  readonly spinner: string
  /** Ctrl-C was pressed once. */
  readonly leaving: boolean
  /** Everything is paused. */
  readonly still: boolean
}

/** Where the chat stands, for the line at the bottom. */
export function statusLineOf(talk: ChatSession, { now, spinner, leaving, still }: Moment): Status {
  const { usage } = talk.feed
  const [item] = talk.waits()
  const hints = item ? dockHints(item) : talk.idle() ? idleHints : workingHints
  return {
    agent: talk.agent,
    handle: talk.session?.handle,
    model: usage.model,
    ...usageOf(talk.session),
    state: stateOf(talk, still),
    elapsedMs: talk.feed.clock.worked(now),
    spinner,
    hints: leaving ? leavingHints : hints,
  }
}

/** What the line says while nothing is typed into it. */
export function placeholderOf(talk: ChatSession): string {
  const [item] = talk.waits()
  if (item) return dockPlaceholder(item)
  return talk.idle() ? `Say something to ${talk.agent}` : 'Type on: Enter queues it'
}

function stateOf(talk: ChatSession, still: boolean): Status['state'] {
  if (talk.waits().length > 0) return 'waiting for you'
  if (talk.session?.status === 'paused') return 'paused'
  if (still) return 'everything is paused'
  if (!talk.idle()) return talk.feed.usage.thinking ? 'thinking' : 'working'
  return talk.session ? 'idle' : 'new'
}

/** What a session has used, with what its children cost; nothing before it has begun. */
export const usageOf = (session: Session | undefined): Pick<Status, 'tokens' | 'costUsd' | 'unpricedTokens'> => ({
  tokens: session ? session.tokens.input + session.tokens.output : 0,
  costUsd: session?.totalCostUsd ?? 0,
  unpricedTokens: session?.unpricedTokens ?? 0,
})
