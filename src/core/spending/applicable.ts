import { selectBudgets } from '../../store/budgets.ts'
import { findCall } from '../../store/calls.ts'
import { sumOfAgent, sumSince } from '../../store/cost.ts'
import { spentIn } from '../../store/run-cost.ts'
import { limitsOfRun, openRunOf } from '../../store/runs.ts'
import { findSession } from '../../store/sessions.ts'
import type { Db, SessionRow, TaskRow, TurnRow } from '../../store/tables.ts'
import { findTask } from '../../store/tasks.ts'
import { dayOf, dayStart } from './money.ts'

/** What the files say now about what a session may spend. */
export interface Limits {
  /** For one turn, with the children that it makes. */
  readonly turnUsd: number | undefined
  readonly agentDayUsd: number | undefined
  readonly dayUsd: number | undefined
  /** Null for an agent that is the same in every project. */
  readonly agentProject: string | null
}

/** The money limits of a session: those of the files, and the budgets of the turns and tasks that it works for. */
export interface Purse {
  readonly limits: Limits
  readonly tasks: readonly Applicable[]
  readonly above: readonly string[]
}

/** A budget as a request finds it: made with its first request. */
export interface Applicable {
  readonly id: string
  readonly limitUsd: number
  /** What was spent under it before. */
  before(db: Db): Promise<number>
}

const turnBudget = (turnId: string): string => `turn:${turnId}`
const agentBudget = (at: number, project: string | null, agent: string): string =>
  `agent:${dayOf(at)}:${project ?? '*'}:${agent}`
export const runBudget = (runId: string): string => `run:${runId}`
/** The run whose budget it is. */
export const runOfBudget = (id: string): string | undefined =>
  id.startsWith('run:') ? id.slice('run:'.length) : undefined
export const dayBudget = (at: number): string => `day:${dayOf(at)}`

/** The budgets that the files and the tasks set for a request at this moment. */
export function applicable({ limits, tasks }: Purse, session: SessionRow, turn: TurnRow, now: number): Applicable[] {
  const { turnUsd, agentDayUsd, dayUsd, agentProject } = limits
  const { agent } = session
  return [
    ...tasks,
    ...(turnUsd === undefined
      ? []
      : [{ id: turnBudget(turn.id), limitUsd: turnUsd, before: async () => turn.total_cost_usd }]),
    ...(agentDayUsd === undefined
      ? []
      : [
          {
            id: agentBudget(now, agentProject, agent),
            limitUsd: agentDayUsd,
            before: (db: Db) => sumOfAgent(db, dayStart(now), agent, agentProject),
          },
        ]),
    ...(dayUsd === undefined
      ? []
      : [
          {
            id: dayBudget(now),
            limitUsd: dayUsd,
            before: async (db: Db) => (await sumSince(db, dayStart(now), '*')).costUsd,
          },
        ]),
  ]
}

/** More than any tree of tasks that makes sense. */
const FAR = 100

/** The budgets of the task that a session works on, of the turns and tasks that gave it, and of their runs: those with a limit. */
export async function budgetsAbove(db: Db, session: SessionRow): Promise<Pick<Purse, 'above' | 'tasks'>> {
  const turns: string[] = []
  const tasks: Applicable[] = []
  const runs = new Set(session.run_id === null ? [] : [session.run_id])
  const seen = new Set<string>(session.task_id === null ? [] : [session.task_id])
  for (const id of seen) {
    const task = await findTask(db, id)
    if (task === undefined || seen.size > FAR) continue
    if (task.max_cost_usd !== null) tasks.push(taskLimit(task, task.max_cost_usd))
    const call = task.call_id === null ? undefined : await findCall(db, task.call_id)
    if (call !== undefined) turns.push(turnBudget(call.turn_id))
    const owner = task.owner_session_id === null ? undefined : await findSession(db, task.owner_session_id)
    if (owner?.run_id != null) runs.add(owner.run_id)
    for (const next of [task.parent_task_id, owner?.task_id]) if (next != null) seen.add(next)
  }
  for (const id of runs) tasks.push(...(await runLimit(db, id)))
  // Turns without a limit have no row.
  return { above: (await selectBudgets(db, turns)).map(({ id }) => id), tasks }
}

/** A run that is over bounds nothing any more: its coordinator goes on as a conversation. */
async function runLimit(db: Db, id: string): Promise<Applicable[]> {
  const run = await openRunOf(db, { run_id: id })
  const limitUsd = run && limitsOfRun(run).maxCostUsd
  if (limitUsd === undefined) return []
  return [{ id: runBudget(id), limitUsd, before: async (at) => (await spentIn(at, run!)).costUsd }]
}

const taskLimit = ({ id, session_id }: TaskRow, limitUsd: number): Applicable => ({
  id: `task:${id}`,
  limitUsd,
  before: async (db) => (await findSession(db, session_id))?.total_cost_usd ?? 0,
})

/** Whether anything bounds what the session spends. */
export const isBounded = ({ limits, above, tasks }: Purse): boolean =>
  above.length + tasks.length > 0 ||
  [limits.turnUsd, limits.agentDayUsd, limits.dayUsd].some((limit) => limit !== undefined)
