import type { Agent, AgentFile } from '../../contract/agents.ts'
import { AppError } from '../../contract/errors.ts'
import type { SessionId } from '../../contract/ids.ts'
import type { ReturnMode } from '../../contract/tasks.ts'
import { isInside } from '../../lib/files/files.ts'
import { newId } from '../../lib/ids.ts'
import { shorten } from '../../lib/shorten.ts'
import { nothingSpent } from '../../store/request-tables.ts'
import { findSession } from '../../store/sessions.ts'
import type { SessionRow, TaskRow } from '../../store/tables.ts'
import { findTaskByCall, insertTask, putSubscription } from '../../store/tasks.ts'
import {
  aboutSession,
  type Chain,
  type Core,
  changing,
  keyOf,
  leaveErrand,
  onSession,
  type Project,
  type Tx,
} from '../base/index.ts'
import { agentFor, findAgent, longestWait, ownFolder, realOf } from '../config/index.ts'
import { limitsOf, nextHop, post, spentBy, stopChain, tasksSpent } from '../mail/index.ts'
import { type Maker, makersFor, makersOf } from '../permissions/index.ts'
import { addSession, newSession, placeFor, want } from '../sessions/index.ts'
import { takesSlot } from './slots.ts'

/** Who gives the work, and by which call. */
interface Giver {
  readonly sessionId: SessionId
  readonly callId: string
  readonly agent: Agent
  readonly definition: AgentFile
  readonly project: Project
  readonly workspace: string
  readonly chain: Chain
  readonly deadline: number
}

export interface Order {
  readonly agent: string
  readonly instruction: string
  readonly returnMode: ReturnMode
  readonly wait: boolean
  readonly tools?: readonly string[] | undefined
  readonly topLevel: boolean
  readonly workspace?: string | undefined
}

export interface Spawned {
  readonly task: TaskRow
  readonly child: SessionRow
}

const DEPTH = 3

/** Makes a child with a clean context: its session, task, first mail and subscription, all or none of them. */
export async function spawn(core: Core, by: Giver, order: Order): Promise<Spawned> {
  const agent = await findAgent(core, by.project, order.agent)
  const mode = order.topLevel ? 'chat' : 'subagent'
  const definition = agentFor(agent, mode)
  const limits = await limitsOf(core, by.project)
  const maxWaitMs = await longestWait(core, by.project)
  const chain = nextHop(by.chain)
  const workspace = order.topLevel
    ? ownFolder(core, by.project, definition)
    : insideOf(core, by.workspace, order.workspace)

  const made = await onSession(core, by.sessionId, 'task.spawn', async (tx, parent) => {
    const earlier = await findTaskByCall(tx.db, parent.id, by.callId)
    if (earlier) return { task: earlier, child: (await findSession(tx.db, earlier.session_id))! }
    if (parent.deleted_at !== null || parent.signal === 'close' || parent.signal === 'cancel') {
      throw new AppError('session.state', 'This session is being stopped; nothing more is started for it.')
    }
    const spent = (await spentBy(tx.db, chain, limits)) ?? (await tasksSpent(tx.db, chain, limits))
    if (spent !== undefined) {
      await stopChain(tx, parent, { chain, why: spent, refused: parent.id })
      return { refused: spent }
    }
    const makers = makersOfChild(parent, by, order)
    const child: SessionRow = {
      ...newSession(by.project, { agent: agent.name, mode }, tx.now, {
        workspace,
        wakeBudget: limits.autoWakeBudget,
        ...(order.topLevel ? placeFor(core, definition) : { host: parent.host, moves: parent.moves }),
      }),
      makers: JSON.stringify(makers),
      title: shorten(tx.mask(order.instruction).trim().split('\n', 1)[0]!, 60),
      unattended: parent.unattended,
      parent_session_id: order.topLevel ? null : parent.id,
    }
    const ordered = taskFor(tx, by, order, child, { chain, maxWaitMs })
    const pending = !order.topLevel && !(await takesSlot(core, tx, ordered))
    const begins = !order.topLevel && !pending
    const task: TaskRow = begins ? { ...ordered, status: 'processing', started_at: tx.now } : ordered
    if (!order.topLevel) child.task_id = task.id
    await addSession(tx, child)
    await insertTask(tx.db, task)
    tx.record('task.created', aboutSession(child), {
      taskId: task.id,
      agent: agent.name,
      ...(order.topLevel ? {} : { parentSessionId: parent.id }),
    })
    if (begins) tx.record('task.started', aboutSession(child), { taskId: task.id })
    await changing(tx, child, async (_, row) => {
      await post(core, tx, row, {
        to: row.id,
        from: { kind: 'agent', agent: by.agent.name, sessionId: parent.id },
        content: order.instruction,
        clientId: keyOf(by.callId),
        chain,
      })
      // A child without a slot is wanted too: it stands in line for one.
      want(tx, row)
    })
    if (!order.topLevel) {
      const call = order.wait ? by.callId : null
      await putSubscription(tx.db, {
        task_id: task.id,
        session_id: parent.id,
        call_id: call,
        any_of: 0,
        state: 'open',
        charged_usd: 0,
        charged_tokens: 0,
        created_at: tx.now,
      })
    }
    // A slot may have come free at this moment, when this task could not be seen yet.
    if (pending) await leaveErrand(tx, { kind: 'start', ref: 'tasks', sessionId: child.id })
    tx.after(() => core.wake(child.id))
    return { task, child }
  })
  if (!('refused' in made)) return made
  throw new AppError('chain.spent', `Nothing was started: ${made.refused}.`, {
    hint: 'Do not try again by yourself; the person has been told and may let it go on.',
  })
}

function taskFor(
  tx: Tx,
  by: Giver,
  order: Order,
  child: SessionRow,
  { chain, maxWaitMs }: { chain: Chain; maxWaitMs: number },
): TaskRow {
  return {
    id: newId('task'),
    project_id: child.project_id,
    agent: child.agent,
    session_id: child.id,
    parent_session_id: by.sessionId,
    call_id: by.callId,
    status: order.topLevel ? 'finished' : 'pending',
    priority: 'normal',
    top_level: order.topLevel ? 1 : 0,
    return_mode: order.returnMode,
    instruction: order.instruction,
    output: null,
    error: null,
    max_duration_ms: order.topLevel ? null : Math.max(1000, by.deadline - tx.now),
    max_wait_ms: maxWaitMs,
    summarizing: 0,
    chain_id: chain.id,
    hops: chain.hops,
    ...nothingSpent,
    created_at: tx.now,
    started_at: order.topLevel ? tx.now : null,
    finished_at: order.topLevel ? tx.now : null,
    updated_at: tx.now,
  }
}

/** The child's maker, all makers before, and the tools to which the maker limits this task. */
function makersOfChild(parent: SessionRow, by: Giver, { tools }: Order): Maker[] {
  const most = by.definition.limits?.maxSpawnDepth ?? DEPTH
  const depth = makersOf(parent).filter(({ handed }) => !handed).length + 1
  if (depth > most) {
    throw new AppError(
      'task.too_deep',
      `A child here would be ${depth} deep; ${most} is the most (limits.maxSpawnDepth).`,
      {
        hint: 'Do this part yourself, or hand it back to whoever gave it to you.',
      },
    )
  }
  const makers = makersFor(parent, by.agent, by.definition)
  return tools === undefined
    ? makers
    : [...makers, { from: `agent ${by.agent.name} (for this task)`, tools: { allow: [...tools] }, handed: true }]
}

function insideOf(core: Core, parent: string, folder: string | undefined): string {
  if (folder === undefined) return parent
  const real = realOf(core, parent, folder)
  if (isInside(real, parent)) return real
  throw new AppError('path.outside', `workspace: "${folder}" is outside your own folder.`, {
    hint: 'A child works in your folder or in one inside it.',
  })
}
