import { selectBudgets } from '../../store/budgets.ts'
import { findCall } from '../../store/calls.ts'
import { sumOfAgent, sumSince } from '../../store/cost.ts'
import { findSession } from '../../store/sessions.ts'
import type { Db, SessionRow, TurnRow } from '../../store/tables.ts'
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
  readonly above: readonly string[]
}

/** A budget as a request finds it: made with its first request. */
export interface Applicable {
  readonly id: string
  readonly limitUsd: number
  /** What was spent under it before. */
  before(db: Db): Promise<number>
}

export const turnBudget = (turnId: string): string => `turn:${turnId}`
const agentBudget = (at: number, project: string | null, agent: string): string =>
  `agent:${dayOf(at)}:${project ?? '*'}:${agent}`
export const dayBudget = (at: number): string => `day:${dayOf(at)}`

/** The budgets that the files set for a request at this moment. */
export function applicable({ limits }: Purse, session: SessionRow, turn: TurnRow, now: number): Applicable[] {
  const { turnUsd, agentDayUsd, dayUsd, agentProject } = limits
  const { agent } = session
  return [
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

/** More than any spawn depth that makes sense. */
const DEEP = 32

/** The budgets of those who gave this session its work, and of those who gave it to them. */
export async function budgetsAbove(db: Db, session: SessionRow): Promise<string[]> {
  const ids: string[] = []
  let at: SessionRow | undefined = session
  for (let depth = 0; at !== undefined && at.task_id !== null && depth < DEEP; depth++) {
    const task = await findTask(db, at.task_id)
    if (task === undefined) break
    const call = task.call_id === null ? undefined : await findCall(db, task.call_id)
    if (call !== undefined) ids.push(turnBudget(call.turn_id))
    at = task.parent_session_id === null ? undefined : await findSession(db, task.parent_session_id)
  }
  // Turns without a limit have no row.
  return (await selectBudgets(db, ids)).map(({ id }) => id)
}

/** Whether anything bounds what the session spends. */
export const isBounded = ({ limits, above }: Purse): boolean =>
  above.length > 0 || [limits.turnUsd, limits.agentDayUsd, limits.dayUsd].some((limit) => limit !== undefined)
