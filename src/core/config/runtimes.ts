import type { Agent, AgentFile } from '../../contract/agents.ts'
import { AppError } from '../../contract/errors.ts'
import type { Core, Runtime } from '../base/index.ts'

/** What takes the steps of an agent: its definition names the kind, and a model does where it names none. */
export function runtimeOf(
  { runtimes }: Pick<Core, 'runtimes'>,
  { name }: Pick<Agent, 'name'>,
  { runtime }: Pick<AgentFile, 'runtime'>,
): Runtime {
  const kind = runtime?.kind ?? 'model'
  const found = runtimes[kind]
  if (found !== undefined) return found
  throw new AppError('agent.no_runtime', `The agent "${name}" cannot be run: nothing runs agents of kind "${kind}".`, {
    hint: `Set "runtime.kind" in its definition to what there is (${Object.keys(runtimes).join(', ') || 'nothing'}), or write to another agent.`,
  })
}
