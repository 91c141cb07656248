import type { Agent, AgentFile } from '../../contract/agents.ts'
import { AppError } from '../../contract/errors.ts'
import type { Core, Runtime } from '../base/index.ts'

/** What takes the steps of an agent: its definition names the kind, and a model does where it names none. */
export function runtimeOf(
  core: Pick<Core, 'runtimes'>,
  { name }: Pick<Agent, 'name'>,
  definition: Pick<AgentFile, 'runtime'>,
): Runtime {
  const kind = kindOf(definition)
  const found = core.runtimes[kind]
  if (found !== undefined) return found
  const kinds = kindsOf(core).join(', ') || 'nothing'
  throw noRuntime(name, nobodyRuns(kind), `Set "runtime.kind" in its definition to what there is (${kinds})`)
}

export const kindOf = ({ runtime }: Pick<AgentFile, 'runtime'>) => runtime?.kind ?? 'model'

/** The kinds of agents that can be run here. */
export const kindsOf = ({ runtimes }: Pick<Core, 'runtimes'>): string[] => Object.keys(runtimes)

export const nobodyRuns = (kind: string): string => `nothing runs agents of kind "${kind}"`

export const noRuntime = (name: string, why: string, way: string): AppError =>
  new AppError('agent.no_runtime', `The agent "${name}" cannot be run: ${why}.`, {
    hint: `${way}, or write to another agent.`,
  })
