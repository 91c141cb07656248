import type { Agent, AgentFile, ModeOverride } from '../../../contract/agents.ts'
import { AppError } from '../../../contract/errors.ts'
import { Mode } from '../../../contract/sessions.ts'
import { inWords, type Project } from '../../base/index.ts'
import { noRuntime } from '../runtimes.ts'
import { isTrusted } from '../trust/trust.ts'
import { type AgentSources, loadAgent, lookUp, places } from './load.ts'
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
      hint: `There are: ${agentNames(core, project).slice(0, 50).join(', ')}.`,
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
  const { modes = {}, ...base } = agent.definition
  const override = overrideFor(modes, mode)
  if (override?.enabled === false)
    throw new AppError('agent.mode_off', `The agent "${agent.name}" does not work in mode "${mode}".`, {
      hint: `It works in: ${Mode.options.filter((other) => overrideFor(modes, other)?.enabled !== false).join(', ') || 'none'}.`,
    })
  mustHaveRuntime(agent, mode)
  return override ? overridden(base, override) : base
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

const overrideFor = (modes: NonNullable<AgentFile['modes']>, mode: Mode): ModeOverride | undefined =>
  modes[mode] ?? (mode === 'subagent' ? modes.chat : undefined)

/** A mode adds rules, so that it cannot drop a deny by accident. In other groups its fields replace the agent's. */
function overridden(base: AgentFile, { enabled: _, ...override }: ModeOverride): AgentFile {
  const merged: Record<string, unknown> = { ...base }
  for (const [field, value] of Object.entries(override)) {
    const old = merged[field]
    if (field === 'permissions') merged[field] = addRules(base.permissions ?? {}, override.permissions ?? {})
    else if (grouped.has(field) && old) merged[field] = { ...(old as object), ...(value as object) }
    else merged[field] = value
  }
  return merged as AgentFile
}

const grouped = new Set(['tools', 'capabilities', 'skills', 'agents', 'limits', 'delegate', 'mcpServers'])

function addRules(a: NonNullable<AgentFile['permissions']>, b: NonNullable<AgentFile['permissions']>) {
  const kinds = ['allow', 'ask', 'deny'] as const
  return Object.fromEntries(
    kinds
      .map((kind) => [kind, [...new Set([...(a[kind] ?? []), ...(b[kind] ?? [])])]] as const)
      .filter(([, rules]) => rules.length > 0),
  )
}

const agentNames = (core: AgentSources, project: Project): string[] =>
  [...new Set(places(core, project).flatMap((place) => definitionNames(place.folder)))].sort()
