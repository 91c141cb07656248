import type { SessionId } from '../../contract/ids.ts'
import { openInboxOf } from '../../store/inbox.ts'
import { findMailByClient } from '../../store/mail.ts'
import { nodesOf, untoldNodes } from '../../store/nodes.ts'
import { updateRun } from '../../store/runs.ts'
import { findSession } from '../../store/sessions.ts'
import { stagesOf } from '../../store/stages.ts'
import type { NodeRow, RunRow, SessionRow } from '../../store/tables.ts'
import { latestTurn } from '../../store/turns.ts'
import { workersOf } from '../../store/workers.ts'
import { leaveErrand, type Tx } from '../base/index.ts'
import { askedForMoney } from '../budgets/index.ts'
import { addInbox } from '../inbox/index.ts'
import { closeRun } from './close.ts'
import { isOwnBeginning, nudgeKey, nudgeOf, waitsNotice } from './nudge.ts'
import { moveRun } from './state.ts'

/** How things stand in a run: something goes on by itself, or only a person can make it go on. */
interface Standing {
  readonly goesOn: boolean
  /** Work goes on, not only the coordinator. */
  readonly works: boolean
  /** What a person is asked, by whomever. */
  readonly asked: string | undefined
  readonly coordinator: SessionRow
}

/** Says whether the run works or waits. One in which nothing goes on is reminded once, and then waits for the person. */
export async function lookAtRest(tx: Tx, run: RunRow): Promise<void> {
  const { goesOn, works, asked, coordinator } = await standingOf(tx, run)
  if (works && run.reminded === 1) await updateRun(tx.db, run.id, { reminded: 0 })
  if (isOwnBeginning(run, 0) && coordinator.turn_id === null) return callCoordinator(tx, run, tx.now)
  if (goesOn) return run.status === 'waiting' ? moveRun(tx, run, 'working', null) : undefined
  if (asked !== undefined) return waitForPerson(tx, run, asked)
  if (coordinator.status === 'error')
    return giveUp(tx, run, coordinator, `Its coordinator failed: ${coordinator.reason}`)
  if ((await latestTurn(tx.db, coordinator.id))?.ended_as === 'canceled')
    return waitForPerson(tx, run, 'The turn of its coordinator was canceled.')
  if (run.mode === 'infinite') return callCoordinator(tx, run, tx.now + run.cycle_seconds * 1000)
  if (run.reminded === 0) return callCoordinator(tx, run, tx.now, { reminded: 1 })
  return giveUp(tx, run, coordinator, 'Its coordinator ended its turn, nothing goes on, and it has not called finish.')
}

async function callCoordinator(tx: Tx, run: RunRow, at: number, more: Partial<RunRow> = {}): Promise<void> {
  const change = { ...more, nudges: run.nudges + 1, nudge_at: at }
  await updateRun(tx.db, run.id, change)
  Object.assign(run, change)
  if (run.status === 'waiting') await moveRun(tx, run, 'working', null)
  await leaveErrand(tx, { ...nudgeOf(run), at })
}

async function waitForPerson(tx: Tx, run: RunRow, reason: string): Promise<void> {
  if (run.status !== 'waiting' || run.reason !== reason) await moveRun(tx, run, 'waiting', reason)
}

/** A person who attends to the run is told once and decides; without one it has failed. */
async function giveUp(tx: Tx, run: RunRow, coordinator: SessionRow, reason: string): Promise<void> {
  if (isAlone(coordinator)) return closeRun(tx, run, { status: 'failed', reason })
  await waitForPerson(tx, run, reason)
  await addInbox(tx, coordinator, {
    id: waitsNotice(run),
    kind: 'notice',
    title: `The run "${run.title}" waits for you`,
    body: `${reason}\nWrite to its coordinator to go on, or stop the run.`,
  })
}

/** Nobody attends to the run: what would be asked is decided already. */
export const isAlone = ({ unattended }: SessionRow): boolean => unattended === 'deny' || unattended === 'allow'

async function standingOf(tx: Tx, run: RunRow): Promise<Standing> {
  const nodes = await nodesOf(tx.db, run.id)
  const asks: string[] = []
  const works = nodes.some(isAtWork) || (await hasNews(tx, run)) || (await workersGoOn(tx, run, nodes, asks))
  const called = run.nudges > 0 && (await findMailByClient(tx.db, run.project_id, nudgeKey(run))) === undefined
  // Nobody holds its row here: read last, it is wanted already where it was just told the news or called.
  const coordinator = (await findSession(tx.db, run.session_id))!
  if (works) return { works, goesOn: true, asked: undefined, coordinator }
  const own = await stateOf(tx, coordinator, asks)
  return { works, goesOn: own === 'busy' || called, asked: asks[0], coordinator }
}

async function workersGoOn(tx: Tx, run: RunRow, nodes: readonly NodeRow[], asks: string[]): Promise<boolean> {
  for (const { name, session_id } of await workersOf(tx.db, run.id)) {
    const session = session_id === null ? undefined : await findSession(tx.db, session_id)
    if (session === undefined || session.status === 'closed') continue
    const state = await stateOf(tx, session, asks)
    if (state === 'busy') return true
    // One that waits for nodes below its own goes on when these have ended.
    const node = nodes.find((one) => one.worker === name && one.status === 'waiting')
    if (node !== undefined && state === 'rests' && !hasOpen(nodes, node.id)) return true
  }
  return false
}

const isAtWork = (node: NodeRow): boolean => node.status === 'processing' || isAboutToBegin(node)

const isAboutToBegin = ({ status, assigned_at }: NodeRow): boolean => status === 'pending' && assigned_at !== null

const hasOpen = (nodes: readonly NodeRow[], parent: string): boolean =>
  nodes.some(
    ({ parent_node_id, status }) => parent_node_id === parent && ['pending', 'processing', 'waiting'].includes(status),
  )

/** Nodes or a stage have ended, and the coordinator is about to be told. */
async function hasNews(tx: Tx, run: RunRow): Promise<boolean> {
  if ((await untoldNodes(tx.db, run.id, null)).length > 0) return true
  return (await stagesOf(tx.db, run.id)).some(({ status, told }) => status === 'reconvening' && told === 0)
}

type State = 'busy' | 'rests' | 'asks'

/** Whether a session goes on by itself, rests, or waits for a person, and what for. */
async function stateOf(tx: Tx, session: SessionRow, asks: string[]): Promise<State> {
  const { status, wanted_at, agent, worker } = session
  if (status === 'running' || wanted_at !== null) return 'busy'
  if (status !== 'waiting' && status !== 'paused') return 'rests'
  const asked = status === 'paused' ? `${worker ?? agent} is paused.` : await firstQuestion(tx, session.id)
  if (asked === undefined) return 'busy'
  asks.push(asked)
  return 'asks'
}

async function firstQuestion(tx: Tx, id: SessionId): Promise<string | undefined> {
  const asked = await askedForMoney(tx.db, id)
  return asked === undefined
    ? (await openInboxOf(tx.db, id)).find(({ call_id }) => call_id !== null)?.title
    : 'A budget is used up.'
}
