import type { NodeStatus, Run, RunStatus, Worker } from '../../../src/contract/runs.ts'
import type { Session, SessionStatus } from '../../../src/contract/sessions.ts'
import type { TaskStatus } from '../../../src/contract/tasks.ts'

/** The status language of the page: a shape, a colour and a word that mean the same on every noun. */
export type Shape =
  | 'working'
  | 'asks'
  | 'waiting'
  | 'done'
  | 'partial'
  | 'idle'
  | 'pending'
  | 'paused'
  | 'failed'
  | 'blocked'
  | 'canceled'
  | 'retired'
export type Tone = 'work' | 'ask' | 'good' | 'bad' | 'rest'

export interface Standing {
  readonly shape: Shape
  readonly tone: Tone
  readonly word: string
}

const standing = (shape: Shape, tone: Tone, word: string): Standing => ({ shape, tone, word })

export const standings = {
  working: standing('working', 'work', 'working'),
  asks: standing('asks', 'ask', 'asks you'),
  approval: standing('asks', 'ask', 'needs approval'),
  waiting: standing('waiting', 'rest', 'waits'),
  done: standing('done', 'good', 'done'),
  partial: standing('partial', 'good', 'partial'),
  idle: standing('idle', 'good', 'idle'),
  pending: standing('pending', 'rest', 'pending'),
  paused: standing('paused', 'rest', 'paused'),
  failed: standing('failed', 'bad', 'failed'),
  blocked: standing('blocked', 'bad', 'blocked'),
  canceled: standing('canceled', 'rest', 'canceled'),
  stopped: standing('canceled', 'rest', 'stopped'),
  retired: standing('retired', 'rest', 'retired'),
  closed: standing('retired', 'rest', 'closed'),
  error: standing('failed', 'bad', 'error'),
} as const satisfies Record<string, Standing>

const ofSessionStatus: Record<SessionStatus, Standing> = {
  idle: standings.idle,
  running: standings.working,
  waiting: standings.waiting,
  paused: standings.paused,
  error: standings.error,
  closed: standings.closed,
}

/** `asking`: the sessions that stand still until the person answers. */
export const standingOfSession = ({ id, status }: Pick<Session, 'id' | 'status'>, asking: ReadonlySet<string>) =>
  asking.has(id) ? standings.asks : ofSessionStatus[status]

const ofRunStatus: Record<RunStatus, Standing> = {
  working: standings.working,
  waiting: standings.waiting,
  paused: standings.paused,
  finished: standings.done,
  failed: standings.failed,
  stopped: standings.stopped,
}

export const standingOfRun = ({ status, inboxId }: Pick<Run, 'status' | 'inboxId'>): Standing =>
  inboxId !== undefined && status === 'paused' ? standings.asks : ofRunStatus[status]

const ofNodeStatus: Record<NodeStatus, Standing> = {
  pending: standings.pending,
  processing: standings.working,
  waiting: standings.waiting,
  finished: standings.done,
  failed: standings.failed,
  canceled: standings.canceled,
  blocked: standings.blocked,
}

export const standingOfNode = (
  { status, partial }: { readonly status: NodeStatus; readonly partial?: true | undefined },
  asks = false,
): Standing => (asks ? standings.asks : status === 'finished' && partial ? standings.partial : ofNodeStatus[status])

export const standingOfWorker = ({ status, sessionId }: Worker, asking: ReadonlySet<string>): Standing => {
  if (sessionId !== undefined && asking.has(sessionId)) return standings.asks
  return { idle: standings.idle, busy: standings.working, waiting: standings.waiting, retired: standings.retired }[
    status
  ]
}

const ofTaskStatus: Record<TaskStatus, Standing> = {
  pending: standings.pending,
  processing: standings.working,
  waiting: standings.waiting,
  finished: standings.done,
  failed: standings.failed,
  canceled: standings.canceled,
}

export const standingOfTask = ({ status }: { readonly status: TaskStatus }): Standing => ofTaskStatus[status]

/** A folded parent shows its most urgent child. */
const urgency: readonly Shape[] = [
  ...(['asks', 'failed', 'blocked', 'working', 'waiting', 'paused', 'pending'] as const),
  ...(['idle', 'partial', 'done', 'canceled', 'retired'] as const),
]

export const mostUrgent = (all: readonly Standing[]): Standing | undefined =>
  all.toSorted((a, b) => urgency.indexOf(a.shape) - urgency.indexOf(b.shape))[0]
