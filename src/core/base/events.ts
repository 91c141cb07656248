import { AppError } from '../../contract/errors.ts'
import type { Delta, Event, EventType } from '../../contract/events.ts'
import type { SessionId, TaskId } from '../../contract/ids.ts'
import { choices, type EventChoice, type EventFilter, type EventPage } from '../../store/events.ts'
import { findTask } from '../../store/tasks.ts'
import type { Core } from './core.ts'

/** What a new event is about, as far as whoever waits wants to know before it reads the rows. */
interface Told {
  readonly type: EventType
  readonly sessionId: string | null
}

/** Hints inside one process: that the record grew, and text as it streams. Whoever misses one reads the rows. */
export interface Bus {
  committed(events?: readonly Told[]): void
  onCommit(listener: (events: readonly Told[]) => void): () => void
  delta(delta: Delta): void
  onDelta(listener: (delta: Delta) => void): () => void
  /** Nobody listens: deltas need not be made. */
  readonly quiet: boolean
}

export function createBus(): Bus {
  const commits = new Set<(events: readonly Told[]) => void>()
  const deltas = new Set<(delta: Delta) => void>()
  const subscribe = <T>(set: Set<T>, listener: T) => {
    set.add(listener)
    return () => void set.delete(listener)
  }
  return {
    committed(events = []) {
      for (const listener of commits) listener(events)
    },
    onCommit: (listener) => subscribe(commits, listener),
    delta(delta) {
      for (const listener of deltas) listener(delta)
    },
    onDelta: (listener) => subscribe(deltas, listener),
    get quiet() {
      return deltas.size === 0
    },
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

/** Events of a turn in full swing. They come many times in it, and none of them ends it or makes it wait. */
const inFullSwing: ReadonlySet<EventType> = new Set(['message.appended', 'model.called', 'tool.started', 'tool.ended'])

/** Whether somebody who waits for a turn's end should look. */
export const mayEndTurn =
  (sessionId: SessionId) =>
  (told: Told): boolean =>
    told.sessionId === sessionId && !inFullSwing.has(told.type)

/** Looks until it sees a value or the time is up: after commits with an event `on` wants, and every two seconds, because other processes commit too. */
export async function until<T>(
  core: Core,
  look: () => Promise<T | undefined>,
  {
    seconds,
    signal,
    on = () => true,
  }: { seconds: number; signal?: AbortSignal | undefined; on?: (told: Told) => boolean },
): Promise<T | undefined> {
  const end = performance.now() + seconds * 1000
  for (;;) {
    const changed = nextCommit(core, Math.min(POLL_MS, Math.max(0, end - performance.now())), signal, on)
    try {
      const found = await look()
      if (found !== undefined || signal?.aborted || performance.now() >= end) return found
      await changed.promise
    } finally {
      changed.forget()
    }
  }
}

function nextCommit(core: Core, ms: number, signal: AbortSignal | undefined, on: (told: Told) => boolean) {
  const { promise, resolve } = Promise.withResolvers<void>()
  const off = core.bus.onCommit((events) => {
    if (events.some(on)) resolve()
  })
  const timer = setTimeout(resolve, ms)
  const wakeUp = () => resolve()
  signal?.addEventListener('abort', wakeUp, { once: true })
  return {
    promise,
    forget() {
      off()
      clearTimeout(timer)
      signal?.removeEventListener('abort', wakeUp)
    },
  }
}
