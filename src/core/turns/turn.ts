import type { Agent, AgentFile } from '../../contract/agents.ts'
import { isProblem } from '../../contract/errors.ts'
import type { Mode, Unattended } from '../../contract/sessions.ts'
import type { EffectiveSettings } from '../../contract/settings.ts'
import { reservationsOf } from '../../store/budgets.ts'
import { findSession } from '../../store/sessions.ts'
import type { SessionRow, TurnRow } from '../../store/tables.ts'
import { findTask, hasEnded } from '../../store/tasks.ts'
import { findTurn, workSince } from '../../store/turns.ts'
import {
  aboutSession,
  asRunner,
  type Core,
  type History,
  type Lease,
  type Project,
  type Runtime,
  type Tool,
  type ToolSchema,
  type Tx,
} from '../base/index.ts'
import { type Hook, hooksFor } from '../config/index.ts'
import { presenceNow, tellTrustLost } from '../inbox/index.ts'
import { judgeFor, policyOf } from '../mail/index.ts'
import { type Judge, shownTools, unheldReason, unshutReason } from '../permissions/index.ts'
import { layOutNode } from '../runs/index.ts'
import { describeSession, projectOfSession } from '../sessions/index.ts'
import { type Skill, skillsOf } from '../skills/index.ts'
import { budgetsAbove, isBounded, type Purse, settleLost } from '../spending/index.ts'
import { type Offer, offerOf, schemasIn } from '../tools/index.ts'
import type { Plan } from './candidate-choice.ts'
import { frozenPrompt } from './frozen-prompt.ts'
import type { Section } from './prompt.ts'
import { rarelyUsedBy } from './run-rules.ts'
import { createRepeats, type Repeats } from './stall.ts'
import { heedStandstill } from './standstill.ts'

/** Everything one activation of a session works with. Built from rows and files; only `stop` and counters change. */
export interface Turn {
  readonly core: Core
  readonly lease: Lease
  readonly project: Project
  /** Its session, for events and deltas. */
  readonly about: ReturnType<typeof aboutSession>
  /** Made anew, with what follows from it, when the history was compacted. */
  history: History
  setup: Setup
  /** The open turn's row; only its runner writes it. */
  row: TurnRow | undefined
  repeats: Repeats
  /** Accounts and models that failed in this turn; its next steps try them last. */
  readonly failed: Set<string>
  /** Aborts the request or the calls in flight; replaced once an interrupt has been dealt with. */
  stop: AbortController
  /** Calls this activation started, as opposed to ones it found started by a runner that died. */
  readonly begun: Set<string>
  /** The inputs of calls that hold a secret. The rows hold no secrets, so only the activation that made a call can run it. */
  readonly inputs: Map<string, unknown>
  /** What the vendor said for which the turn waits, if it does. */
  waitsFor: string | undefined
  /** How many answers in a row were cut by their limit. */
  cuts: number
  /** How many tokens the model reads at once, where that is known. */
  window: number | undefined
  /** What bounds the money that it may spend; undefined where nothing does. */
  purse: Purse | undefined
  /** Whom the next step asks, looked up before it where the step needs money. */
  plan: Plan | undefined
  /** What its requests carry: what is loaded, and what its searches loaded. */
  schemas: readonly ToolSchema[]
  /** What was done about a prompt that is too large, since the model last answered. */
  shrinking: Shrinking
}

interface Shrinking {
  /** Compactions that were made. */
  readonly made: number
  /** The vendor refused the prompt as too long. */
  readonly refused: boolean
  /** Why the last one was not made. */
  readonly failed?: string
}

export const notYet: Shrinking = { made: 0, refused: false }

/** Definitions as they are on disk now. */
export interface Setup {
  readonly agent: Agent
  readonly definition: AgentFile
  /** What is asked; the kind of a runtime that asks no models. */
  readonly model: string
  readonly runtime: Runtime
  readonly prompt: string
  /** Sections of the prompt that changed since the model was told them. */
  readonly changes: readonly Section[]
  readonly judge: Judge
  /** What happens in a turn of this chain to calls that would be asked for. */
  readonly unattended: (chainId: string | null) => Unattended
  /** Why there is none, when nobody switched it off. */
  readonly unshut: () => string | undefined
  readonly mode: Mode
  /** In the order in which they run. */
  readonly hooks: readonly Hook[]
  readonly offer: Offer
  readonly skills: readonly Skill[]
  /** The tools that its searches have loaded so far. */
  readonly active: readonly string[]
  /** Its node is done with one answer and without tools. */
  readonly single: boolean
  readonly maxIterations: number
  readonly maxDurationMs: number
  /** How much of `maxDurationMs` the task's earlier turns used; undefined where each turn has all of it. */
  readonly workedMs: number | undefined
  readonly limits: Purse['limits']
  readonly compaction: EffectiveSettings['compaction'] & { readonly smallModel: string | undefined }
  /** What all turns of its task together may use, and what the earlier ones did. */
  readonly task?: TaskLimits
}

interface TaskLimits {
  readonly maxIterations: number | undefined
  readonly iterations: number
}

/** Why the agent cannot run, in a sentence. */
interface Broken {
  readonly problem: string
}

export async function openTurn(core: Core, lease: Lease, session: SessionRow): Promise<Turn | Broken> {
  const project = await projectOfSession(core, session)
  const setup = await prepare(core, lease, session, project)
  if ('problem' in setup) return setup
  const history = await core.histories.load(core, session)
  const repeats = createRepeats()
  repeats.observe(history.messages.filter(({ turnId }) => turnId !== undefined && turnId === session.turn_id))
  return {
    core,
    lease,
    project,
    about: aboutSession(session),
    history,
    setup,
    row: session.turn_id === null ? undefined : await findTurn(core.store.read, session.turn_id),
    repeats,
    failed: new Set(),
    stop: new AbortController(),
    begun: new Set(),
    inputs: new Map(),
    waitsFor: undefined,
    cuts: 0,
    window: await firstWindow(setup, project),
    purse: await purseFor(core, lease, session, setup),
    plan: undefined,
    schemas: schemasIn(setup.offer, setup.active),
    shrinking: notYet,
  }
}

/** The history was compacted: from here on the turn works with the shorter one, and with a prompt that was made anew. */
export async function renewTurn(turn: Turn): Promise<Broken | undefined> {
  const { core, lease } = turn
  const session = await findSession(core.store.read, lease.sessionId)
  const fresh = session === undefined ? undefined : await openTurn(core, lease, session)
  if (fresh === undefined || 'problem' in fresh) return fresh
  const { history, setup, purse, schemas } = fresh
  Object.assign(turn, { history, setup, purse, schemas, plan: undefined })
  return undefined
}

/** What an earlier activation put aside and did not settle is lost: another process may have been charged for it. */
async function purseFor(core: Core, lease: Lease, session: SessionRow, setup: Setup): Promise<Purse | undefined> {
  const db = core.store.read
  const purse = { limits: setup.limits, ...(await budgetsAbove(db, session)) }
  if (!isBounded(purse)) return undefined
  if ((await reservationsOf(db, session.id)).length > 0)
    await asRunner(core, lease, 'turn.settle', (tx) => settleLost(tx, session.id))
  return purse
}

/**
 * The way an activation writes. A transaction may be tried again: each try begins with what the activation knew before, and
 * what it changes of that is true only once it is committed.
 */
export function asTurn<T>(turn: Turn, name: string, work: (tx: Tx, session: SessionRow) => Promise<T>): Promise<T> {
  const { row, repeats } = turn
  return asRunner(turn.core, turn.lease, name, (tx, session) => {
    turn.row = row && { ...row }
    turn.repeats = repeats.copy()
    return work(tx, session)
  })
}

/** The window of the first candidate, until the first answer tells which candidate gave it. */
async function firstWindow({ runtime: { models }, model }: Setup, project: Project): Promise<number | undefined> {
  const [first] = (await models?.candidates(project, [model]))?.usable ?? []
  return first && models?.contextWindow(first)
}

async function prepare(core: Core, lease: Lease, session: SessionRow, project: Project): Promise<Setup | Broken> {
  try {
    await tellTrustLost(core, project)
    const node = await layOutNode(core, session)
    const single = node?.single === 1
    const described = {
      ...(await describeSession(core, session, project)),
      ...(single && { tools: new Map<string, Tool>() }),
    }
    const { settings, agent, definition, runtime, model, makers } = described
    const judge = await judgeFor(core, session, project, described)
    const { status, pausedSince } = await presenceNow(core)
    const away = status === 'away'
    // It was claimed just before everything was paused, and nobody saw that it runs.
    if (pausedSince !== undefined) await heedStandstill(core, session.id)
    const { maxIterations, maxDurationSeconds, dailyCostUsd } = settings.limits
    const offer = offerOf(shownTools(judge), definition.toolExposure, rarelyUsedBy(session))
    const { skills } = skillsOf(core, { project, agent, definition })
    const limits = { maxCostUsd: settings.limits.maxCostUsd, ...definition.limits }
    const inTask = await taskOf(core, session, (limits.maxDurationSeconds ?? maxDurationSeconds) * 1000)
    return {
      agent,
      definition,
      model,
      runtime,
      ...(await frozenPrompt(core, lease, session, { project, agent, definition, model, makers, offer, judge })),
      mode: session.mode,
      hooks: hooksFor(core, project, settings, { agent, definition }),
      offer,
      skills,
      judge,
      unattended: (chainId) => policyOf(session, settings, chainId, away),
      unshut: () => (session.run_id === null ? unshutReason(core, settings) : unheldReason(core, settings)),
      compaction: { ...settings.compaction, smallModel: settings.smallModel },
      maxIterations: single ? 1 : (limits.maxIterations ?? maxIterations),
      single,
      ...inTask,
      limits: {
        turnUsd: limits.maxCostUsd,
        agentDayUsd: limits.dailyCostUsd,
        dayUsd: dailyCostUsd === 'none' ? undefined : dailyCostUsd,
        agentProject: agent.source === 'project' ? project.id : null,
      },
    }
  } catch (error) {
    if (isProblem(error)) return { problem: error.hint ? `${error.message} ${error.hint}` : error.message }
    throw error
  }
}

/** All turns of a task together have no more time than it was given, or than the session that gave it had left. */
async function taskOf(
  core: Core,
  session: SessionRow,
  ownMs: number,
): Promise<Pick<Setup, 'maxDurationMs' | 'workedMs' | 'task'>> {
  const db = core.store.read
  const task = session.task_id === null ? undefined : await findTask(db, session.task_id)
  if (task === undefined || hasEnded(task)) return { maxDurationMs: ownMs, workedMs: undefined }
  const { workedMs, iterations } = await workSince(db, session.id, task.counts_from)
  return {
    maxDurationMs: Math.min(ownMs, task.max_duration_ms ?? ownMs),
    workedMs,
    task: { maxIterations: task.max_iterations ?? undefined, iterations },
  }
}

/** The judge for the turn as it is now: a turn knows its chain only once it has taken mail. */
export const judgeIn = ({ row, setup }: Turn): Judge => ({
  ...setup.judge,
  unattended: setup.unattended(row?.chain_id ?? null),
})
