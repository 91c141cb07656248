import { findSession } from '../../store/sessions.ts'
import type { SessionRow, SessionTimer } from '../../store/tables.ts'
import { findTask } from '../../store/tasks.ts'
import { deleteTimers, insertTimer, payloadOf, postponeTimer, takeTimer } from '../../store/timers.ts'
import { findTurn } from '../../store/turns.ts'
import { type Core, onSession, transact } from '../base/index.ts'
import { type Hook, hooksFor } from '../config/index.ts'
import { judgeFor } from '../mail/index.ts'
import { describeSession, lastWords, projectOfSession } from '../sessions/index.ts'
import { hearAll, hooksAt } from './chain.ts'
import type { Moment } from './moment.ts'
import { recordRuns } from './record.ts'

const AT_ONCE = 8
const FULL_MS = 1000
/** A run that was cut off by a crash is made again this long after the time that its hooks have. */
const GRACE_MS = 5000
const TRIES = 5
const WORDS = 4000

/** What a server runs now, by its instance: it ends with the server, and the next one runs it again. */
const atWork = new Map<string, { readonly stop: AbortController; readonly runs: Map<string, Promise<void>> }>()

function workOf({ instance }: Core) {
  const work = atWork.get(instance) ?? { stop: new AbortController(), runs: new Map() }
  atWork.set(instance, work)
  return work
}

/** The server stops: nothing is written about what still runs. */
export async function stopEnds(core: Core): Promise<void> {
  const { stop, runs } = workOf(core)
  stop.abort('the server stops')
  await Promise.all(runs.values())
  atWork.delete(core.instance)
}

/**
 * The hooks of a turn or a task that has ended. The next try is set before this one is made, so that a crash loses none;
 * a hook tells a second run from the first by its key.
 */
export async function serveEnd(core: Core, timer: SessionTimer): Promise<void> {
  const kept = payloadOf<{ tries: number }>(timer)
  const { stop, runs } = workOf(core)
  if (runs.size >= AT_ONCE || runs.has(timer.id))
    return transact(core, 'end-hook.wait', (tx) => postponeTimer(tx.db, timer, tx.now + FULL_MS, kept))
  const ended = await lookUp(core, timer)
  const tries = (kept.tries ?? 0) + 1
  const goes = await transact(core, 'end-hook.try', async (tx) => {
    if (!(await takeTimer(tx.db, timer))) return false
    if (ended === undefined || ended.hooks.length === 0 || tries > TRIES) return false
    const { claimed_by: _, claimed_until: __, ...row } = timer
    const next = tx.now + GRACE_MS + ended.hooks.reduce((sum, hook) => sum + hook.timeoutSeconds * 1000, 0)
    await insertTimer(tx.db, { ...row, due_at: next, payload: JSON.stringify({ tries }) })
    tx.alarm(next)
    return true
  })
  if (!goes || ended === undefined) return
  // Not awaited: other timers must not wait for somebody's program.
  const run = hearEnd(core, timer, ended, stop.signal)
    .catch((error: unknown) => core.log('error', 'hooks of an end could not be run', { error: String(error) }))
    .finally(() => runs.delete(timer.id))
  runs.set(timer.id, run)
}

interface Ended {
  readonly at: Moment
  readonly hooks: readonly Hook[]
  readonly ref: string
  readonly about: Readonly<Record<string, unknown>>
}

async function hearEnd(
  core: Core,
  timer: SessionTimer,
  { at, hooks, ref, about }: Ended,
  signal: AbortSignal,
): Promise<void> {
  const runs = await hearAll(at, hooks, ref, about, signal)
  if (runs === undefined) return
  await onSession(core, timer.session_id, 'end-hook.settle', async (tx, session) => {
    await deleteTimers(tx.db, [timer.id])
    await recordRuns(core, tx, session, runs)
  })
}

/** What ended and the hooks that are to be told; undefined when it is gone. */
async function lookUp(core: Core, { ref, session_id }: SessionTimer): Promise<Ended | undefined> {
  const db = core.store.read
  const session = await findSession(db, session_id)
  if (session === undefined || session.deleted_at !== null) return undefined
  const [turn, task] = [await findTurn(db, ref), await findTask(db, ref)]
  const found = await momentOf(core, session)
  if (found === undefined || (turn ?? task) === undefined) return undefined
  const answer = (await lastWords(db, session.id)).slice(0, WORDS)
  const { at, hooks } = found
  if (turn !== undefined) {
    const { id, ended_as: end, reason, iterations } = turn
    return { at, hooks: hooksAt(hooks, 'turnEnd'), ref, about: { turn: { id, end, reason, iterations, answer } } }
  }
  const { id, status, error, finished_at } = task!
  const about = { task: { id, status, answer, ...(error === null ? {} : { error }) } }
  // A task that was tried again has more than one end.
  return { at, hooks: hooksAt(hooks, 'taskEnd'), ref: `${ref}:${finished_at}`, about }
}

async function momentOf(core: Core, session: SessionRow): Promise<{ at: Moment; hooks: readonly Hook[] } | undefined> {
  try {
    const project = await projectOfSession(core, session)
    const described = await describeSession(core, session, project)
    const judge = await judgeFor(core, session, project, described)
    const { agent, definition, settings } = described
    const at = { core, project, agent, mode: session.mode, taskId: session.task_id ?? undefined, judge }
    return { at, hooks: hooksFor(core, project, settings, { agent, definition }) }
  } catch (error) {
    core.log('warn', 'the hooks of a session cannot be known', { sessionId: session.id, error: String(error) })
    return undefined
  }
}
