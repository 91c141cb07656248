import type { Agent, AgentFile } from '../../contract/agents.ts'
import { AppError } from '../../contract/errors.ts'
import type { SessionId } from '../../contract/ids.ts'
import type { ReturnMode } from '../../contract/tasks.ts'
import { isInside } from '../../lib/files/files.ts'
import type { SessionRow, TaskRow } from '../../store/tables.ts'
import { type Chain, type Core, onSession, type Project } from '../base/index.ts'
import { ownFolder, realOf } from '../config/index.ts'
import { nextHop } from '../mail/index.ts'
import { type Maker, makersFor, makersOf } from '../permissions/index.ts'
import { createTask, planTask, type TaskMade } from './create.ts'
import { checkInput } from './input.ts'

/** Who gives the work, and by which call. */
export interface Giver {
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
  /** Instead of the one that its agent has. */
  readonly model?: string | undefined
}

export interface Spawned {
  readonly task: TaskRow
  readonly session: SessionRow
}

const DEPTH = 3

/** Makes a child with a clean context, or an independent session. */
export async function spawn(core: Core, by: Giver, order: Order): Promise<Spawned> {
  const { topLevel } = order
  const plan = await planTask(core, by.project, {
    agent: order.agent,
    mode: topLevel ? 'chat' : 'subagent',
    workspace: (definition) =>
      topLevel ? ownFolder(core, by.project, definition) : insideOf(core, by.workspace, order.workspace),
  })
  const input = { prompt: order.instruction }
  await checkInput(core, plan, input, 'agent')
  const made = await onSession(core, by.sessionId, 'task.spawn', async (tx, parent) =>
    createTask(core, tx, plan, {
      ...givenBy(parent, by),
      input,
      model: order.model,
      returnMode: order.returnMode,
      tells: order.wait ? 'call' : parent.mode === 'daemon' ? 'nobody' : 'mail',
      makers: makersOfChild(parent, by, order.tools),
      ...(topLevel
        ? {}
        : { child: true, leftMs: by.deadline - tx.now, place: { host: parent.host, moves: parent.moves } }),
    }),
  )
  return unlessRefused(made)
}

/** Nothing is given in the name of a session that is being stopped. */
export function givenBy(session: SessionRow, by: Giver) {
  if (session.deleted_at !== null || session.signal === 'close' || session.signal === 'cancel') {
    throw new AppError('session.state', 'This session is being stopped; nothing more is started for it.')
  }
  return {
    owner: { session, callId: by.callId },
    from: { kind: 'agent', agent: by.agent.name, sessionId: session.id },
    chain: nextHop(by.chain),
    unattended: session.unattended,
    questions: session.questions,
  } as const
}

export function unlessRefused(made: TaskMade): Exclude<TaskMade, { refused: string }> {
  if (!('refused' in made)) return made
  throw new AppError('chain.spent', `Nothing was started: ${made.refused}.`, {
    hint: 'Do not try again by yourself; the person has been told and may let it go on.',
  })
}

/** The child's maker, all makers before, and the tools to which the maker limits this task. */
export function makersOfChild(parent: SessionRow, by: Giver, tools?: readonly string[]): Maker[] {
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
