import type { RunId, SessionId } from '../../contract/ids.ts'
import type { Lineage } from '../../contract/inbox.ts'
import { shorten } from '../../lib/shorten.ts'
import { findNode } from '../../store/nodes.ts'
import { findRun } from '../../store/runs.ts'
import { findSession, handleOf } from '../../store/sessions.ts'
import type { Db, SessionRow } from '../../store/tables.ts'
import { findTask } from '../../store/tasks.ts'

/** More than any spawn depth that makes sense. */
const DEEP = 32
const LABEL_CHARS = 80

/** On whose behalf a session asks: the run, the session at the top, those between, itself, and the task it works on. */
export async function lineageOf(db: Db, id: SessionId): Promise<Lineage[]> {
  const line: Lineage[] = []
  const own = await findSession(db, id)
  let runId: RunId | null = null
  for (let at = own; at !== undefined && line.length < DEEP; at = await parentOf(db, at)) {
    const handle = await handleOf(db, at.project_id, at.id)
    line.unshift({ kind: 'session', id: at.id, label: `${at.agent} ${handle}`, agent: at.agent, handle })
    if (at.worker !== null) line.unshift({ kind: 'worker', id: at.worker, label: at.worker, agent: at.agent })
    runId ??= at.run_id
  }
  return [...(await runStep(db, runId)), ...line, ...(await taskStep(db, own))]
}

/** A run that is over is no cause of what its coordinator does now. */
async function runStep(db: Db, id: RunId | null): Promise<Lineage[]> {
  const run = id === null ? undefined : await findRun(db, id)
  return run === undefined || run.ended_at !== null ? [] : [{ kind: 'run', id: run.id, label: firstLine(run.title) }]
}

async function taskStep(db: Db, session: SessionRow | undefined): Promise<Lineage[]> {
  const task = session?.task_id ? await findTask(db, session.task_id) : undefined
  if (task === undefined || task.finished_at !== null) return []
  // What the worker of a node reads begins with the node's id, which tells a person nothing.
  const node = task.node_id === null ? undefined : await findNode(db, task.node_id)
  return [{ kind: 'task', id: task.id, label: firstLine(node?.spec ?? task.instruction) }]
}

const parentOf = async (db: Db, { parent_session_id: id }: SessionRow): Promise<SessionRow | undefined> =>
  id === null ? undefined : findSession(db, id)

const firstLine = (text: string): string => shorten(text.trim().split('\n', 1)[0]!, LABEL_CHARS)
