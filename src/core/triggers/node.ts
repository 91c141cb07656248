import { AppError } from '../../contract/errors.ts'
import type { ActionOf } from '../../contract/triggers.ts'
import { quote } from '../../lib/shell/quote.ts'
import { findRun } from '../../store/runs.ts'
import { findSession } from '../../store/sessions.ts'
import type { RunRow } from '../../store/tables.ts'
import type { Core } from '../base/index.ts'
import { partyOf } from '../mail/index.ts'
import { placeNode } from '../runs/index.ts'
import type { Action, Firing, MadeBy, PreparedAct } from './action.ts'
import { eventWords } from './event-words.ts'

type RunNode = ActionOf<'run_node'>

/** Puts a node on the board of an open run, as its coordinator would, who is told how it ends. */
export const nodeAction: Action<RunNode> = {
  check: async (core, by, action) => void (await openRun(core, by, action)),
  prepare,
}

async function prepare(core: Core, firing: Firing, action: RunNode): Promise<PreparedAct> {
  const { row, project } = firing
  const owner = row.owner_session_id ?? undefined
  const run = await openRun(core, { project, ...(owner && { owner }) }, action)
  const task = [action.task, ...eventWords(firing).map(quote)].join('\n\n')
  // The same occurrence again finds the node that it made.
  const by = { sessionId: run.session_id, callId: `fire:${row.id}:${firing.occasion}` }
  return {
    async run(tx) {
      const { id } = await placeNode(tx, by, { ...action, task, dependsOn: action.dependsOn ?? [] })
      return { result: { nodeId: id, runId: run.id }, sessionId: run.session_id }
    },
  }
}

/** An agent's trigger works in the agent's own run only, and where the agent could do it itself. */
async function openRun(core: Core, { project, owner }: MadeBy, { run: id, task }: RunNode): Promise<RunRow> {
  const run = await findRun(core.store.read, id)
  const coordinator = run && (await findSession(core.store.read, run.session_id))
  const mine = owner === undefined || (await findSession(core.store.read, owner))?.run_id === id
  if (run === undefined || run.project_id !== project.id || !mine) {
    throw new AppError('run.not_found', `run: there is no run "${id.slice(0, 80)}" here.`, {
      hint: owner === undefined ? 'List them: GET /api/runs' : 'Name the run in which you work.',
    })
  }
  if (run.ended_at !== null || coordinator?.run_id !== id) {
    throw new AppError('run.state', `run: ${id} is ${run.status}: nothing more is started in it.`, {
      hint: 'Use "create_task" or "send", or name a run that is open.',
    })
  }
  if (owner !== undefined) await (await partyOf(core, owner)).judge('create_work_node', { task, dependsOn: [] })
  return run
}
