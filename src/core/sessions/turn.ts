import type { Agent, AgentFile } from '../../contract/agents.ts'
import { AppError } from '../../contract/errors.ts'
import type { Mode } from '../../contract/sessions.ts'
import { grantedTools } from '../../store/grants.ts'
import { findProjectPath } from '../../store/projects.ts'
import { findPrompt, putPrompt } from '../../store/prompts.ts'
import type { SessionRow, TurnRow } from '../../store/tables.ts'
import { findTask } from '../../store/tasks.ts'
import { findTurn } from '../../store/turns.ts'
import { agentFor, findAgent, listAgents } from '../agents.ts'
import type { Core, Lease, Project, Tool, ToolSchema } from '../core.ts'
import { type Maker, makersOf, reaches, withoutTool } from '../permissions/makers.ts'
import { permissionSources } from '../permissions.ts'
import { type SandboxState, sandboxState } from '../sandbox.ts'
import { schemaOf, toolsInScope } from '../scope.ts'
import { effectiveSettings } from '../settings.ts'
import { hasEnded } from '../tasks/waits.ts'
import type { Judge } from '../tools.ts'
import { aboutSession, asRunner } from '../transaction.ts'
import type { History } from './history.ts'
import { buildPrompt, type Prompt } from './prompt.ts'
import { createRepeats, type Repeats } from './stall.ts'

/** Everything one activation of a session works with. Built from rows and files; only `stop` and counters change. */
export interface Turn {
  readonly core: Core
  readonly lease: Lease
  readonly project: Project
  /** Its session, for events and deltas. */
  readonly about: ReturnType<typeof aboutSession>
  readonly history: History
  readonly setup: Setup
  /** The open turn's row; only its runner writes it. */
  row: TurnRow | undefined
  readonly repeats: Repeats
  /** Accounts and models that failed in this turn; its next steps try them last. */
  readonly failed: Set<string>
  /** Aborts the request or the calls in flight; replaced once an interrupt has been dealt with. */
  stop: AbortController
  /** Calls this activation started, as opposed to ones it found started by a runner that died. */
  readonly begun: Set<string>
  /** How many tokens the model reads at once, once that is known. */
  window: number | undefined
}

/** Definitions as they are on disk now, or the sentence that says why the agent cannot run. */
export type Setup = Ready | { readonly problem: string }

export interface Ready {
  readonly agent: Agent
  readonly definition: AgentFile
  readonly model: string
  readonly prompt: string
  readonly judge: Judge
  /** Found out when a command is run: it takes a process of its own. */
  readonly sandbox: () => SandboxState
  readonly schemas: readonly ToolSchema[]
  readonly maxIterations: number
  readonly maxDurationMs: number
  readonly maxCostUsd: number | undefined
}

export async function openTurn(core: Core, lease: Lease, session: SessionRow): Promise<Turn> {
  const project = await projectOf(core, session)
  const history = await core.histories.load(core, session)
  const repeats = createRepeats()
  repeats.observe(history.messages.filter(({ turnId }) => turnId !== undefined && turnId === session.turn_id))
  return {
    core,
    lease,
    project,
    about: aboutSession(session),
    history,
    setup: await prepare(core, lease, session, project),
    row: session.turn_id === null ? undefined : await findTurn(core.store.read, session.turn_id),
    repeats,
    failed: new Set(),
    stop: new AbortController(),
    begun: new Set(),
    window: undefined,
  }
}

export async function projectOf(core: Core, session: SessionRow): Promise<Project> {
  const path = await findProjectPath(core.store.read, session.project_id)
  return { id: session.project_id, path: path ?? session.workspace }
}

/** Agent, model, tools and limits of a session as its files and settings are now. */
export async function describeSession(core: Core, session: SessionRow, project: Project) {
  const { settings } = await effectiveSettings(core, project)
  const agent = await findAgent(core, project, session.agent)
  const definition = agentFor(agent, session.mode as Mode)
  const model =
    session.model ?? definition.model ?? settings.defaultModel ?? (await core.runtimes.model!.defaultModel(project))
  const makers = makersOf(session)
  const own = toolsInScope(core.tools.values(), definition)
  // What a maker has not got to hand on is not even shown.
  const tools = new Map([...own].filter(([, tool]) => withoutTool(makers, tool) === undefined))
  return { settings, agent, definition, model, tools, makers }
}

async function prepare(core: Core, lease: Lease, session: SessionRow, project: Project): Promise<Setup> {
  try {
    const described = await describeSession(core, session, project)
    const { settings, agent, definition, model, tools, makers } = described
    const { maxIterations, maxDurationSeconds } = settings.limits
    const limits = { maxCostUsd: settings.limits.maxCostUsd, ...definition.limits }
    return {
      agent,
      definition,
      model,
      prompt: await frozenPrompt(core, lease, session, { project, agent, definition, model, makers, tools }),
      schemas: [...tools.values()].map(schemaOf),
      judge: await judgeFor(core, session, project, described),
      sandbox: () => sandboxState(core, settings),
      maxIterations: limits.maxIterations ?? maxIterations,
      maxDurationMs: Math.min(
        (limits.maxDurationSeconds ?? maxDurationSeconds) * 1000,
        await leftByMaker(core, session),
      ),
      maxCostUsd: limits.maxCostUsd,
    }
  } catch (error) {
    if (error instanceof AppError) return { problem: error.hint ? `${error.message} ${error.hint}` : error.message }
    throw error
  }
}

/** By which rules the calls of a session are judged. */
export async function judgeFor(
  core: Core,
  session: SessionRow,
  project: Project,
  { agent, definition, settings, tools, makers }: Awaited<ReturnType<typeof describeSession>>,
): Promise<Judge> {
  return {
    tools,
    sources: permissionSources(core, project),
    own: { from: `agent ${agent.name}, ${agent.folder}`, rules: definition.permissions ?? {} },
    makers,
    sessionId: session.id,
    userHome: core.env.HOME,
    granted: await grantedTools(core.store.read, session.id),
    unattended: (session.unattended ?? settings.permissions.unattended) as Judge['unattended'],
    workspace: session.workspace,
    projectPath: project.path,
    home: core.home,
  }
}

/** A child has no more time than whoever made it had left. */
async function leftByMaker(core: Core, session: SessionRow): Promise<number> {
  const task = session.task_id === null ? undefined : await findTask(core.store.read, session.task_id)
  const open = task !== undefined && !hasEnded(task)
  return (open ? task.max_duration_ms : undefined) ?? Number.POSITIVE_INFINITY
}

interface PromptParts {
  readonly project: Project
  readonly agent: Agent
  readonly definition: AgentFile
  readonly model: string
  readonly makers: readonly Maker[]
  readonly tools: ReadonlyMap<string, Tool>
}

/** The prompt stays as it was, so that provider caches hit, until its definition or the model changes. */
async function frozenPrompt(core: Core, lease: Lease, session: SessionRow, about: PromptParts): Promise<string> {
  const built = await promptFor(core, session, about)
  const frozen = await findPrompt(core.store.read, session.id)
  if (frozen !== undefined && frozen.key === built.key && frozen.model === about.model) return frozen.text
  await asRunner(core, lease, 'turn.prompt', (tx) =>
    putPrompt(tx.db, {
      session_id: session.id,
      key: built.key,
      model: about.model,
      text: built.text,
      sections: JSON.stringify(built.sections),
      created_at: tx.now,
    }),
  )
  return built.text
}

export const promptFor = async (core: Core, session: SessionRow, about: PromptParts): Promise<Prompt> =>
  buildPrompt(core, {
    project: about.project,
    agent: about.agent,
    model: about.model,
    tools: [...about.tools.values()],
    mode: session.mode as Mode,
    workspace: session.workspace,
    agents: await reachableAgents(core, about),
  })

/** Only agents that can write to others need to know them; the tools for it say so by their capability. */
async function reachableAgents(core: Core, { project, agent, definition, makers, tools }: PromptParts) {
  if (![...tools.values()].some(({ capabilities }) => capabilities.includes('agents'))) return []
  return (await listAgents(core, project))
    .filter(({ broken, name }) => !broken && name !== agent.name && reaches(definition, makers, name))
    .map(({ name, description }) => ({ name, description }))
}
