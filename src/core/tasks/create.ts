import type { AgentFile } from '../../contract/agents.ts'
import type { NodeId, SessionId } from '../../contract/ids.ts'
import type { From } from '../../contract/messages.ts'
import type { Mode, Unattended } from '../../contract/sessions.ts'
import type { ReturnMode, TaskInput, TaskLimits, TaskPriority } from '../../contract/tasks.ts'
import { newId } from '../../lib/ids.ts'
import { shorten } from '../../lib/shorten.ts'
import { addProject, putProject } from '../../store/projects.ts'
import { nothingSpent, nothingUsed } from '../../store/request-tables.ts'
import { findSession } from '../../store/sessions.ts'
import type { SessionRow, TaskRow } from '../../store/tables.ts'
import { findTask, findTaskByCall, findTaskByClient, insertTask, spentSince } from '../../store/tasks.ts'
import { aboutSession, type Chain, type Core, changing, keyOf, type Project, type Tx } from '../base/index.ts'
import { agentFor, findAgent, longestWait } from '../config/index.ts'
import { type ChainLimits, limitsOf, post, postFirst, spentBy, stopChain, tasksSpent } from '../mail/index.ts'
import type { Maker } from '../permissions/index.ts'
import { addSession, modelBelow, newSession, type Place, placeFor, want } from '../sessions/index.ts'
import { speaksForAgent } from '../skills/index.ts'
import { instructionOf } from './input.ts'
import { limitsFor } from './limits.ts'
import { subscribe } from './subscribe.ts'

/** Who does the work and where. It is made before the transaction, because it reads files. */
export interface TaskPlan {
  readonly project: Project
  readonly agent: string
  /** A task of mode chat is an independent session: it is finished once it is made, and nobody is told how it ends. */
  readonly mode: Mode
  readonly workspace: string
  readonly place: Place
  readonly chainLimits: ChainLimits
  readonly maxWaitMs: number
}

interface Wanted {
  readonly agent: string
  readonly mode: Mode
  /** The folder it works in, given the agent's definition. */
  workspace(definition: AgentFile): string
}

export async function planTask(core: Core, project: Project, wanted: Wanted): Promise<TaskPlan> {
  const agent = await findAgent(core, project, wanted.agent)
  const definition = agentFor(agent, wanted.mode)
  return {
    project,
    agent: agent.name,
    mode: wanted.mode,
    workspace: wanted.workspace(definition),
    place: placeFor(core, definition),
    chainLimits: await limitsOf(core, project),
    maxWaitMs: await longestWait(core, project),
  }
}

/** What is to be done, and in whose name. */
interface TaskOrder {
  readonly input: TaskInput
  readonly from: From
  readonly chain: Chain
  /** The session that gives it by a call: the same call again finds the task. */
  readonly owner?: { readonly session: SessionRow; readonly callId: string }
  /** The session that does it, where it is there already and does nothing else; its row must be locked. */
  readonly worker?: SessionRow | undefined
  /** What a new session has beyond what any has. */
  readonly member?: Pick<SessionRow, 'run_id' | 'worker' | 'parent_session_id'>
  /** The node of a run as which it is done, and the task above it. */
  readonly node?: { readonly id: NodeId; readonly paysFor: SessionId; readonly above: TaskRow | undefined }
  /** It is a child of its owner: it ends with the owner, which pays for it and does not end before it. */
  readonly child?: boolean
  /** How its owner learns of the end: by the call, which waits, by mail, or not at all, though it pays. */
  readonly tells?: 'call' | 'mail' | 'nobody'
  readonly priority?: TaskPriority | undefined
  readonly tags?: readonly string[] | undefined
  readonly limits?: TaskLimits | undefined
  /** What its owner has left of its own time. */
  readonly leftMs?: number
  readonly returnMode?: ReturnMode
  readonly makers?: readonly Maker[]
  readonly place?: Place
  readonly model?: string | undefined
  readonly unattended?: Unattended | null | undefined
  readonly questions?: string | null | undefined
  /** The same one again, in the same project, returns the first task. */
  readonly clientId?: string | undefined
}

export type TaskMade =
  | { readonly task: TaskRow; readonly session: SessionRow; readonly created: boolean }
  /** The chain may go no further; its person has been told. */
  | { readonly refused: string }

/**
 * The one way in which work comes to be: its session, its row, its first mail and its subscription, all or none of them.
 * It begins where a runner claims it and a slot is free. The row of an owner must be locked.
 */
export async function createTask(core: Core, tx: Tx, plan: TaskPlan, order: TaskOrder): Promise<TaskMade> {
  const earlier = await madeBefore(tx, plan, order)
  if (earlier) return { task: earlier, session: (await findSession(tx.db, earlier.session_id))!, created: false }
  const { chain, owner } = order
  const spent = (await spentBy(tx.db, chain, plan.chainLimits)) ?? (await tasksSpent(tx.db, chain, plan.chainLimits))
  if (spent !== undefined) {
    if (owner) await stopChain(tx, owner.session, { chain, why: spent, refused: owner.session.id })
    return { refused: spent }
  }
  const replayed = owner && (await modelBelow(tx.db, owner.session, owner.callId))
  const session = order.worker ?? sessionFor(tx, plan, replayed === undefined ? order : { ...order, model: replayed })
  const task = taskFor(tx, plan, order, session, await taskAbove(tx, order))
  const clientId = owner ? keyOf(owner.callId) : task.id
  const draft = { to: session.id, from: order.from, content: task.instruction, clientId, chain }
  if (order.worker) {
    await addTask(tx, session, task)
    await changing(tx, session, async (_, row) => {
      works(row, task)
      await post(core, tx, row, draft)
      want(tx, row)
    })
  } else if (task.status === 'pending') {
    works(session, task)
    // It stands in line for a slot from now on.
    await postFirst(tx, session, draft, () => add(tx, session, task))
  } else {
    await add(tx, session, task)
    await changing(tx, session, (_, row) => post(core, tx, row, draft))
  }
  if (owner && order.tells && plan.mode !== 'chat') await subscribe(tx, task, owner, order.tells)
  if (order.node) await subscribe(tx, task, { session: { id: order.node.paysFor } }, 'nobody')
  tx.after(() => core.wake(session.id))
  return { task, session, created: true }
}

function works(session: SessionRow, task: TaskRow): void {
  session.task_id = task.id
  session.node_id = task.node_id
}

async function add(tx: Tx, session: SessionRow, task: TaskRow): Promise<void> {
  await addSession(tx, session)
  await addTask(tx, session, task)
}

async function addTask(tx: Tx, session: SessionRow, task: TaskRow): Promise<void> {
  await insertTask(tx.db, task)
  tx.record(
    'task.created',
    { ...aboutSession(session), ...(task.node_id && { nodeId: task.node_id }) },
    {
      taskId: task.id,
      agent: task.agent,
      ...(session.parent_session_id === null ? {} : { parentSessionId: session.parent_session_id }),
    },
  )
}

/** Of two requests with the same clientId, the second sees the first, because whoever names one locks the project. */
async function madeBefore(tx: Tx, { project }: TaskPlan, order: TaskOrder): Promise<TaskRow | undefined> {
  if (order.owner) return findTaskByCall(tx.db, order.owner.session.id, order.owner.callId)
  if (order.clientId === undefined) {
    await addProject(tx.db, project, tx.now)
    return undefined
  }
  await putProject(tx.db, project, tx.now)
  return findTaskByClient(tx.db, project.id, order.clientId)
}

function sessionFor(tx: Tx, plan: TaskPlan, order: TaskOrder): SessionRow {
  const fresh = newSession(plan.project, { agent: plan.agent, mode: plan.mode, model: order.model }, tx.now, {
    workspace: plan.workspace,
    wakeBudget: plan.chainLimits.autoWakeBudget,
    ...(order.place ?? plan.place),
  })
  return {
    ...fresh,
    makers: JSON.stringify(order.makers ?? []),
    title: shorten(
      tx
        .mask(order.input.prompt.trim() || instructionOf(order.input))
        .trim()
        .split('\n', 1)[0]!,
      60,
    ),
    unattended: order.unattended ?? null,
    questions: order.questions ?? null,
    parent_session_id: order.child && order.owner ? order.owner.session.id : null,
    ...order.member,
  }
}

/** The task to which this one belongs. Of a session that went on for long after its task, the task may be archived. */
async function taskAbove(tx: Tx, { child, owner, node }: TaskOrder): Promise<TaskRow | undefined> {
  if (node) return node.above
  const id = child ? owner?.session.task_id : undefined
  return id ? findTask(tx.db, id) : undefined
}

const NOTHING_BEFORE = { id: '', spent_before: '{}' }

function taskFor(tx: Tx, plan: TaskPlan, order: TaskOrder, session: SessionRow, above?: TaskRow): TaskRow {
  const { input, owner, chain } = order
  const { prompt, ...more } = input
  const independent = plan.mode === 'chat'
  return {
    id: newId('task'),
    project_id: session.project_id,
    agent: session.agent,
    session_id: session.id,
    from_kind: order.from.kind,
    owner_session_id: owner?.session.id ?? null,
    call_id: owner?.callId ?? null,
    parent_session_id: order.node?.paysFor ?? session.parent_session_id,
    parent_task_id: above?.id ?? null,
    node_id: order.node?.id ?? null,
    spent_before: order.worker ? JSON.stringify(spentSince(order.worker, NOTHING_BEFORE)) : '{}',
    client_id: owner ? null : (order.clientId ?? null),
    status: independent ? 'finished' : 'pending',
    priority: order.priority ?? 'normal',
    tags: JSON.stringify([...new Set(order.tags ?? [])]),
    top_level: independent ? 1 : 0,
    return_mode: order.returnMode ?? 'lastMessage',
    instruction: instructionOf(input),
    input: JSON.stringify({ prompt, ...more }),
    output: null,
    error: null,
    ...limitsFor(order.limits, { ...plan, leftMs: order.leftMs, byAgent: speaksForAgent(order.from) }, above),
    ...(independent && { max_duration_ms: null }),
    summarizing: 0,
    attempts: 1,
    retries: 0,
    counts_from: order.worker ? tx.now : 0,
    chain_id: chain.id,
    hops: chain.hops,
    ...nothingSpent,
    ...nothingUsed,
    created_at: tx.now,
    started_at: independent ? tx.now : null,
    finished_at: independent ? tx.now : null,
    updated_at: tx.now,
  }
}
