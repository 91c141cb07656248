import type { Agent, AgentFile } from '../../../contract/agents.ts'
import { AppError } from '../../../contract/errors.ts'
import { Mode } from '../../../contract/sessions.ts'
import { suggestion } from '../../../lib/closest.ts'
import { inWords, type Project } from '../../base/index.ts'
import { noRuntime } from '../runtimes.ts'
import { isTrusted } from '../trust/trust.ts'
import { type AgentSources, loadAgent, lookUp, places } from './load.ts'
import { fieldsIn, overrideFor } from './modes.ts'
import { definitionNames } from './read.ts'

export { deleteAgent, putAgent } from './write.ts'

/** All agents of a project, sorted by name. A broken one is listed too, with its problems. */
export async function listAgents(core: AgentSources, project: Project): Promise<Agent[]> {
  const trusted = isTrusted(core, project)
  const found = new Map<string, Agent>()
  for (const place of places(core, project)) {
    for (const name of definitionNames(place.folder)) {
      const agent = found.has(name) ? undefined : loadAgent(core, project, place, name, trusted)
      if (agent) found.set(name, agent)
    }
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}

export async function findAgent(core: AgentSources, project: Project, name: string): Promise<Agent> {
  const agent = lookUp(core, project, name)?.agent
  if (agent === undefined)
    throw new AppError('agent.not_found', `There is no agent "${name}" in this project.`, {
      hint: suggestion(name, agentNames(core, project), 'There are'),
    })
  if (agent.broken)
    throw new AppError('agent.broken', `The agent "${name}" cannot be used: ${inWords(agent.problems)}.`, {
      hint: 'Repair the file; it is read again at the next message.',
      details: agent.problems,
    })
  return agent
}

/** The definition as it counts in a mode. */
export function agentFor(agent: Agent, mode: Mode): AgentFile {
  const { modes = {} } = agent.definition
  if (overrideFor(modes, mode)?.enabled === false)
    throw new AppError('agent.mode_off', `The agent "${agent.name}" does not work in mode "${mode}".`, {
      hint: `It works in: ${Mode.options.filter((other) => overrideFor(modes, other)?.enabled !== false).join(', ') || 'none'}.`,
    })
  mustHaveRuntime(agent, mode)
  return fieldsIn(agent.definition, mode)
}

/** Whether the agent can be used in a mode: the mode is not switched off, and there is a runtime for it. */
export function worksIn(agent: Agent, mode: Mode): boolean {
  try {
    agentFor(agent, mode)
    return true
  } catch {
    return false
  }
}

/** An agent whose runtime is not there or not trusted is refused, never run by a model instead. Its problem says why. */
function mustHaveRuntime(agent: Agent, mode: Mode): void {
  const { modes = {} } = agent.definition
  const from = modes[mode] === undefined && mode === 'subagent' ? 'chat' : mode
  const inMode = `modes.${from}.runtime`
  const counts = modes[from]?.runtime === undefined ? [inMode, 'runtime'] : [inMode]
  const why = agent.problems.find(({ field = '' }) => counts.includes(field))
  if (why === undefined) return
  throw noRuntime(agent.name, `its runtime ${why.message}`, `Change "${why.field}" in ${why.file}`)
}

const agentNames = (core: AgentSources, project: Project): string[] =>
  [...new Set(places(core, project).flatMap((place) => definitionNames(place.folder)))].sort()
