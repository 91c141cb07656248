import type { Agent, AgentFile } from '../../contract/agents.ts'
import { AppError } from '../../contract/errors.ts'
import type { WorkerKind } from '../../contract/runs.ts'
import { suggestion } from '../../lib/closest.ts'
import { findSession } from '../../store/sessions.ts'
import type { Core, Project, ToolContext } from '../base/index.ts'
import { agentFor, findAgent, kindOf, listAgents, runtimeOf, worksIn } from '../config/index.ts'
import { isIn, makersFor, withoutTool } from '../permissions/index.ts'
import { knownTools } from '../tools/index.ts'

/** Who does what nobody in particular was chosen for. */
export const ANYBODY = 'assistant'

interface Choice {
  readonly kind?: WorkerKind | undefined
  readonly agent?: string | undefined
  /** The program that is to work, such as "claude". */
  readonly cli?: string | undefined
}

/** Which agent is to work, and whether it does so in our loop or in its own; what does not fit together is refused. */
export async function chooseAgent(
  core: Core,
  project: Project,
  { kind, agent: name, cli }: Choice,
): Promise<{ agent: Agent; kind: WorkerKind }> {
  const agent =
    name === undefined && cli !== undefined
      ? await agentOfProgram(core, project, cli)
      : await findAgent(core, project, name ?? ANYBODY)
  const definition = agentFor(agent, 'task')
  runtimeOf(core, agent, definition)
  checkWorkspace(agent.name, definition)
  const is = kindOf(definition) === 'model' ? 'harnessed' : 'autonomous'
  if (kind !== undefined && kind !== is)
    throw new AppError('worker.invalid', `kind: ${agent.name} is ${is}, ${ways[is]}.`, {
      hint: is === 'harnessed' ? await autonomousOnes(core, project) : 'Leave "kind" out, or name another agent.',
    })
  if (cli !== undefined && programOf(definition) !== cli)
    throw new AppError('worker.invalid', `cli: ${agent.name} does not run "${cli}".`, {
      hint: 'Leave "agent" or "cli" out.',
    })
  return { agent, kind: is }
}

/** Whoever is to work in a folder of its own must not find itself in everybody's. */
export function checkWorkspace(name: string, { workspace }: AgentFile): void {
  if (workspace !== 'worktree' && workspace !== 'run') return
  throw new AppError(
    'worker.invalid',
    `agent: ${name} has "workspace": "${workspace}", which workers cannot have yet.`,
    {
      hint: 'Name another agent, or have the human take "workspace" out of its definition: then it works where the run does.',
    },
  )
}

const ways: Record<WorkerKind, string> = {
  harnessed: 'run by a model',
  autonomous: 'run by a program of its own',
}

const programOf = ({ runtime }: AgentFile): unknown => (runtime?.kind === 'cli' ? runtime.preset : undefined)

async function agentOfProgram(core: Core, project: Project, cli: string): Promise<Agent> {
  const found = (await autonomous(core, project)).find((agent) => programOf(agentFor(agent, 'task')) === cli)
  if (found !== undefined) return found
  throw new AppError('worker.invalid', `cli: no agent here runs "${cli}".`, {
    hint: await autonomousOnes(core, project),
  })
}

const autonomous = async (core: Core, project: Project): Promise<Agent[]> =>
  (await listAgents(core, project)).filter(
    (agent) => !agent.broken && worksIn(agent, 'task') && kindOf(agentFor(agent, 'task')) !== 'model',
  )

async function autonomousOnes(core: Core, project: Project): Promise<string> {
  const names = (await autonomous(core, project)).map(({ name }) => name)
  return names.length === 0
    ? 'No agent here is run by a program; leave "kind" and "cli" out.'
    : `As "agent", these are run by programs: ${names.slice(0, 20).join(', ')}.`
}

/** A worker is limited to tools that its agent could have, and that the coordinator may hand on. */
export async function checkTools(core: Core, by: ToolContext, agent: Agent, globs: readonly string[]): Promise<void> {
  const { tools } = await knownTools(core, { project: by.project, agent, definition: agentFor(agent, 'task') })
  const session = (await findSession(core.store.read, by.sessionId))!
  const makers = makersFor(session, by.agent, by.definition)
  for (const glob of globs) {
    const meant = [...tools.values()].filter(
      ({ name, ruleName }) => isIn([glob], name) || isIn([glob], ruleName ?? name),
    )
    if (meant.length === 0)
      throw new AppError('worker.invalid', `tools: there is no tool "${glob}" for ${agent.name}.`, {
        hint: suggestion(glob, [...tools.keys()], 'There are'),
      })
    if (meant.every((tool) => withoutTool(makers, tool) !== undefined))
      throw new AppError('worker.invalid', `tools: you have no ${glob} to hand on.`, {
        hint: 'Leave it out, or have the person do what needs it.',
      })
  }
}
