import type { AgentPreview, PreviewAgent } from '../../contract/agent-preview.ts'
import type { Agent } from '../../contract/agents.ts'
import { maskDeep } from '../../lib/mask.ts'
import type { Core, Project } from '../base/index.ts'
import { draftAgent } from '../config/index.ts'
import { ruleOnTool } from '../permissions/index.ts'
import { newSession } from '../sessions/index.ts'
import { promptFor } from './frozen-prompt.ts'
import { offeredTo } from './offered.ts'

/** What would come of a definition that is not written yet: what is wrong with it, and the prompt of a session with it. */
export async function previewAgent(
  core: Core,
  project: Project,
  name: string,
  { mode = 'chat', ...body }: PreviewAgent,
): Promise<AgentPreview> {
  const agent = draftAgent(core, project, name, body)
  const { problems, broken } = agent
  if (broken) return { problems, broken }
  const more = { workspace: project.path, wakeBudget: 0, host: null, moves: 0 }
  const session = newSession(project, { agent: name, mode }, core.clock.now(), more)
  const offered = await offeredTo(core, session, withoutPrograms(agent))
  const { text, sections } = maskDeep(core.mask, await promptFor(core, session, offered))
  const tokens = sections.map((section) => section.tokens).reduce((sum, count) => sum + count, 0)
  const offer = [...offered.offer.loaded, ...offered.offer.listed].map(({ tool }) => tool)
  const tools = offer.map(({ name }) => name).sort()
  const permissions = Object.fromEntries(offer.map((tool) => [tool.name, ruleOnTool(offered.judge, tool)]))
  return { problems, broken, prompt: { text, sections: [...sections], tokens, frozen: false }, tools, permissions }
}

/** Nobody has agreed to what a draft would start. */
const withoutPrograms = (agent: Agent): Agent => {
  const { mcpServers: _, hooks: __, ...definition } = agent.definition
  return { ...agent, definition }
}
