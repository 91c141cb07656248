import type { Agent } from '../../contract/agents.ts'
import type { SessionRow } from '../../store/tables.ts'
import type { Core, Project } from '../base/index.ts'
import { agentFor, effectiveSettings, findAgent, kindOf, runtimeOf } from '../config/index.ts'
import { makersOf, toolsInScope, withoutTool } from '../permissions/index.ts'
import { knownTools } from '../tools/index.ts'

/** Agent, runtime, model, tools and limits of a session as its files and settings are now, or as they would be with a draft. */
export async function describeSession(core: Core, session: SessionRow, project: Project, draft?: Agent) {
  const { settings } = await effectiveSettings(core, project)
  const agent = draft ?? (await findAgent(core, project, session.agent))
  const definition = agentFor(agent, session.mode)
  const runtime = runtimeOf(core, agent, definition)
  const model =
    runtime.models === undefined
      ? kindOf(definition)
      : (session.model ?? definition.model ?? settings.defaultModel ?? (await runtime.models.defaultModel(project)))
  const makers = makersOf(session)
  const known = await knownTools(core, { project, agent, definition, sessionId: session.id })
  const own = toolsInScope(known.tools.values(), definition)
  // A tool that a maker cannot hand on is not even shown.
  const tools = new Map([...own].filter(([, tool]) => withoutTool(makers, tool) === undefined))
  return { settings, agent, definition, runtime, model, tools, makers }
}
