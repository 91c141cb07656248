import type { CheckPermission, PermissionAnswer } from '../../contract/permissions.ts'
import { realPath } from '../../lib/files/files.ts'
import type { Core, Project, Tool } from '../base/index.ts'
import { agentFor, effectiveSettings, findAgent } from '../config/index.ts'
import { knownTools, schemaOf } from '../tools/index.ts'
import { weigh } from './judge.ts'
import { sandboxState } from './sandbox.ts'
import { toolsInScope } from './scope.ts'
import { permissionSources } from './sources.ts'

/** What would happen to a call, and the rule or default that decides; nothing runs. */
export async function checkPermission(core: Core, project: Project, asked: CheckPermission): Promise<PermissionAnswer> {
  const agent = asked.agent === undefined ? undefined : await findAgent(core, project, asked.agent)
  const definition = agent === undefined ? {} : agentFor(agent, 'chat')
  const { tools } = await knownTools(core, { project, ...(agent && { agent, definition }) })
  const name = [...tools.values()].find(({ ruleName }) => ruleName === asked.tool)?.name ?? asked.tool
  const tool = tools.get(name)
  const { settings } = await effectiveSettings(core, project)
  const weighed = await weigh(
    {
      tools: toolsInScope(tools.values(), definition),
      sources: permissionSources(core, project),
      own: { from: agent === undefined ? 'no agent' : `agent ${agent.name}`, rules: definition.permissions ?? {} },
      makers: [],
      granted: [],
      unattended: 'wait',
      sessionId: '',
      agent: agent?.name,
      sandbox: () => sandboxState(core, settings),
      workspace: realPath(project.path),
      projectPath: project.path,
      home: core.home,
      userHome: core.env.HOME,
      env: core.env,
    },
    { name, input: tool && typeof asked.input === 'string' ? inputFrom(tool, asked.input) : asked.input },
  )
  const { verdict, because } = 'result' in weighed ? weighed.result : weighed
  const parts =
    'result' in weighed ? weighed.parts.map(({ what, decision, because }) => ({ what, decision, because })) : []
  return { decision: decisions[verdict], because, parts }
}

const decisions = { run: 'allow', ask: 'ask', refuse: 'deny' } as const

/** A text stands for the tool's first field; every other required field gets a placeholder. */
function inputFrom(tool: Tool, text: string): unknown {
  const { properties = {}, required = [] } = schemaOf(tool).inputSchema as {
    properties?: Record<string, unknown>
    required?: string[]
  }
  const [first = 'input'] = Object.keys(properties)
  return { ...Object.fromEntries(required.map((name) => [name, 'x'])), [first]: text }
}
