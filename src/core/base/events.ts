import { AppError } from '../../contract/errors.ts'
import type { Delta, Event, EventType } from '../../contract/events.ts'
import type { SessionId, TaskId } from '../../contract/ids.ts'
import { choices, type EventChoice, type EventFilter, type EventPage } from '../../store/events.ts'
import { findTask } from '../../store/tasks.ts'
import type { Core } from './core.ts'
import { createWritten } from './written.ts'

/** What a new event is about, as far as whoever waits wants to know before it reads the rows. */
interface Told {
  readonly type: EventType
  readonly sessionId: string | null
  readonly data: Readonly<Record<string, unknown>>
}

type CommitListener = (events: readonly Told[]) => void

/** Hints inside one process: that the record grew, and text as it streams. Whoever misses one reads the rows. */
export interface Bus {
  committed(events: readonly Told[]): void
  /** After every commit, or only after those with an event about one session: a thousand may wait, each for its own. */
  onCommit(listener: CommitListener, about?: SessionId): () => void
  delta(delta: Delta): void
  onDelta(listener: (delta: Delta) => void): () => void
  /** No more text of this attempt comes. */
  written(attempt: string): void
  /** What is being written right now, each text as one delta. Whoever reads it and listens from then on misses nothing. */
  soFar(): readonly Delta[]
}

export function createBus(): Bus {
  /** By session; those who listen to every commit are under ''. */
  const commits = new Map<SessionId | '', Set<CommitListener>>()
  const deltas = new Set<(delta: Delta) => void>()
  const written = createWritten()
  return {
    committed(events) {
      const about = new Set(events.map(({ sessionId }) => sessionId ?? '')).add('')
      for (const key of about) for (const listener of commits.get(key) ?? []) listener(events)
    },
    onCommit(listener, about = '') {
      const listeners = commits.get(about) ?? new Set()
      commits.set(about, listeners.add(listener))
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0 && commits.get(about) === listeners) commits.delete(about)
      }
    },
    delta(delta) {
      written.add(delta)
      for (const listener of deltas) listener(delta)
    },
    onDelta(listener) {
      deltas.add(listener)
      return () => void deltas.delete(listener)
    },
    written: written.end,
    soFar: written.soFar,
  }
}

export type { EventChoice, EventPage }

/** Whether an event or a delta belongs to the chosen project, session, task, … */
export const isAbout = (choice: EventChoice, about: Event | Delta): boolean =>
  choices.every(([name]) => choice[name] === undefined || choice[name] === (about as EventChoice)[name])

export const readEvents = (core: Core, filter: EventFilter): Promise<EventPage> => core.store.readEvents(filter)

/** A stream filtered by a task that does not exist would stay silent for ever. */
export async function checkTask(core: Core, id: TaskId): Promise<void> {
  if ((await findTask(core.store.read, id)) !== undefined) return
  throw new AppError('task.not_found', `There is no task "${id.slice(0, 80)}".`, {
    hint: 'A task is named by its whole id, "task_…".',
  })
}

export const latestSeq = (core: Core): Promise<string> => core.store.latestSeq()

const POLL_MS = 2000
/** Where nobody else commits, a look without a hint only makes up for one that was lost. A thousand may wait. */
const RARE_POLL_MS = 16_000

/** Events of a turn that begins or is in full swing: none of them ends it or makes it wait. */
const inFullSwing: ReadonlySet<EventType> = new Set([
  'mail.accepted',
  'mail.taken',
  'turn.started',
  'message.appended',
  'model.called',
  'tool.started',
  'tool.ended',
])

/** Whether somebody who waits for a turn's end should look. */
export const mayEndTurn = ({ type, data }: Told): boolean =>
  !inFullSwing.has(type) && !(type === 'session.status' && data.to === 'running')

interface Until {
  readonly seconds: number
  readonly signal?: AbortSignal | undefined
  /** Looks only after commits about this session, */
  readonly about?: SessionId
  /** and only after those with an event that is wanted. */
  readonly on?: (told: Told) => boolean
  /** Nothing but such a commit can bring it, as far as was seen at the last look: hardly ever looks without one. */
  readonly told?: () => boolean
}

/** Looks until it sees a value or the time is up: after commits, and every two seconds, because other processes commit too. */
export async function until<T>(
  core: Core,
  look: () => Promise<T | undefined>,
  { seconds, told = () => false, ...wake }: Until,
): Promise<T | undefined> {
  const end = performance.now() + seconds * 1000
  for (;;) {
    const changed = nextCommit(core, wake)
    try {
      const found = await look()
      if (found !== undefined || wake.signal?.aborted || performance.now() >= end) return found
      const pollMs = core.store.alone && told() ? RARE_POLL_MS : POLL_MS
      await changed.within(Math.min(pollMs, end - performance.now()))
    } finally {
      changed.forget()
    }
  }
}

function nextCommit(core: Core, { signal, about, on = () => true }: Pick<Until, 'signal' | 'about' | 'on'>) {
  const { promise, resolve } = Promise.withResolvers<void>()
  const off = core.bus.onCommit((events) => {
    if (events.some((told) => (about === undefined || told.sessionId === about) && on(told))) resolve()
  }, about)
  const wakeUp = () => resolve()
  signal?.addEventListener('abort', wakeUp, { once: true })
  let timer: NodeJS.Timeout | undefined
  return {
    within(ms: number): Promise<void> {
      timer = setTimeout(resolve, ms)
      return promise
    },
    forget() {
      off()
      clearTimeout(timer)
      signal?.removeEventListener('abort', wakeUp)
    },
  }
}
