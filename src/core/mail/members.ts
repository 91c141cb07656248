import { AppError } from '../../contract/errors.ts'
import type { SessionId } from '../../contract/ids.ts'
import { RUN_DEFAULTS } from '../../contract/runs.ts'
import { findNode } from '../../store/nodes.ts'
import { countMessages } from '../../store/run-mail.ts'
import { limitsOfRun, openRunOf } from '../../store/runs.ts'
import { findSession } from '../../store/sessions.ts'
import { findStage, nodesInStage } from '../../store/stages.ts'
import type { Db, NodeRow, RunRow, SessionRow } from '../../store/tables.ts'
import { findTask } from '../../store/tasks.ts'
import { membersOf, workersOf } from '../../store/workers.ts'
import { leaveRunErrand, type Tx } from '../base/index.ts'

export const COORDINATOR = 'coordinator'
export const EVERYONE = '*'

/** Whom a word means inside a run. */
type Members = { readonly one: SessionId } | { readonly everyone: readonly SessionId[] }

/** Looks among the members of a run; undefined where the word means nobody there. Nothing is made. */
export async function memberAt(db: Db, run: RunRow, to: string): Promise<Members | undefined> {
  if (to === COORDINATOR) return { one: run.session_id }
  if (to === EVERYONE) return { everyone: await membersOf(db, run) }
  if (to.startsWith('node:')) return { one: await atWorkOn(db, run, to, await nodesAt(db, run, to)) }
  if (to.startsWith('stage:')) return { one: await atWorkOn(db, run, to, await stagedAt(db, run, to)) }
  const name = to.replace(/^worker:/, '').toLowerCase()
  const worker = (await workersOf(db, run.id)).find((one) => one.name.toLowerCase() === name)
  if (worker === undefined) return undefined
  if (worker.retired_at === null && worker.session_id !== null) return { one: worker.session_id }
  throw new AppError(
    'address.unknown',
    worker.retired_at === null
      ? `${worker.name} has not begun yet: it can be written to from its first node on.`
      : `${worker.name} has left the run.`,
    { hint: worker.retired_at === null ? 'Put what it must know into its node.' : await membersNamed(db, run) },
  )
}

const nodesAt = async (db: Db, run: RunRow, to: string): Promise<NodeRow[]> => {
  const node = await findNode(db, to.slice('node:'.length))
  return node?.run_id === run.id ? [node] : []
}

const stagedAt = async (db: Db, run: RunRow, to: string): Promise<NodeRow[]> => {
  const stage = await findStage(db, to.slice('stage:'.length))
  return stage?.run_id === run.id ? nodesInStage(db, stage.id) : []
}

/** The session that works on one of these nodes: one that runs before one that rests. */
async function atWorkOn(db: Db, run: RunRow, to: string, nodes: readonly NodeRow[]): Promise<SessionId> {
  const found: SessionRow[] = []
  for (const { task_id } of nodes) {
    const task = task_id === null ? undefined : await findTask(db, task_id)
    const session = task && (await findSession(db, task.session_id))
    if (session && session.status !== 'closed') found.push(session)
  }
  const one = found.find(({ status }) => status === 'running') ?? found[0]
  if (one !== undefined) return one.id
  throw new AppError('address.unknown', `Nobody works on "${to.slice(0, 80)}".`, { hint: await membersNamed(db, run) })
}

/** Who can be written to inside the run, as a sentence for errors. */
export async function membersNamed(db: Db, run: RunRow): Promise<string> {
  const workers = (await workersOf(db, run.id)).filter((one) => one.retired_at === null && one.session_id !== null)
  const named = [COORDINATOR, ...workers.map(({ name }) => name)]
  return `In the run there are ${named.join(', ')}; ${EVERYONE} is everyone.`
}

/** Whether both are members of the same open run. They reach each other as often as the run's own limits allow. */
export async function sharesRun(db: Db, session: SessionRow, other: SessionId | null | undefined): Promise<boolean> {
  if (session.run_id === null || other == null) return false
  const sender = await findSession(db, other)
  return sender?.run_id === session.run_id && (await openRunOf(db, session)) !== undefined
}

/** When the members of a run have written as much as they may, it sees to that. The message itself is kept. */
export async function countInRun(tx: Tx, session: SessionRow): Promise<void> {
  const run = await openRunOf(tx.db, session)
  const { maxMessages = RUN_DEFAULTS.maxMessages } = run ? limitsOfRun(run) : {}
  if (run && (await countMessages(tx.db, run)) >= maxMessages) await leaveRunErrand(tx, 'limit', run.id)
}
