import type { HookList, HookTried, TestHooks } from '../../contract/hooks.ts'
import { realPath } from '../../lib/files/files.ts'
import { newId } from '../../lib/ids.ts'
import type { Core, Project } from '../base/index.ts'
import { agentFor, brokenHooks, effectiveSettings, findAgent, type Hook, hooksFor } from '../config/index.ts'
import { type Judge, permissionSources, sandboxState } from '../permissions/index.ts'
import { hearAfter, hearAll, hearBefore, hooksAt } from './chain.ts'
import type { HookRun, Moment } from './moment.ts'

const AGENT = 'assistant'

/** The hooks that count for an agent, or for every agent, in the order in which they run. */
export async function listHooks(core: Core, project: Project, name?: string): Promise<HookList> {
  const { settings, problems } = await effectiveSettings(core, project)
  const agent = name === undefined ? undefined : await findAgent(core, project, name)
  const whose = agent && { agent, definition: agentFor(agent, 'chat') }
  const isAbout = (field = ''): boolean => /(^|\.)hooks(\.|$)/.test(field)
  return {
    items: hooksFor(core, project, settings, whose)
      .filter(({ broken }) => broken === undefined)
      .map(({ event, name, command, match, timeoutSeconds, env, from }) => ({
        event,
        name,
        command,
        ...(match && { match }),
        timeoutSeconds,
        env: [...env],
        from,
      })),
    problems: [
      ...[...problems, ...(agent?.problems ?? [])].filter(({ field }) => isAbout(field)),
      ...brokenHooks(core, project).map(({ from, match }) => ({
        file: from,
        message: `has a hook before ${match ? match.join(', ') : 'every tool'} that cannot be used: until it is repaired, these calls are refused`,
      })),
    ],
  }
}

/** Runs hooks for a person who wants to see what they do: in the project's folder, for no session and with no effect. */
export async function tryHooks(
  core: Core,
  project: Project,
  asked: TestHooks,
  signal: AbortSignal,
): Promise<HookTried[]> {
  const { settings } = await effectiveSettings(core, project)
  const agent = await findAgent(core, project, asked.agent ?? AGENT)
  const definition = agentFor(agent, 'chat')
  const { tool = 'bash', input = {} } = asked
  const isTool = asked.event === 'beforeTool' || asked.event === 'afterTool'
  const hooks = hooksAt(
    hooksFor(core, project, settings, { agent, definition }),
    asked.event,
    isTool ? tool : undefined,
  ).filter(({ name }) => asked.hook === undefined || name === asked.hook)
  const judge: Judge = {
    tools: core.tools,
    sources: permissionSources(core, project),
    own: { from: `agent ${agent.name}`, rules: definition.permissions ?? {} },
    makers: [],
    granted: [],
    unattended: 'wait',
    sessionId: '',
    sandbox: () => sandboxState(core, settings),
    workspace: realPath(project.path),
    projectPath: project.path,
    home: core.home,
    userHome: core.env.HOME,
    env: core.env,
  }
  const runs = await runsOf({ core, project, agent, mode: 'chat', judge }, hooks, asked.event, { tool, input }, signal)
  return runs.map(({ hook, verdict, said, input, durationMs }) => ({
    hook: hook.name,
    from: hook.from,
    verdict,
    ...(said === undefined ? {} : { said }),
    ...(verdict === 'changed' ? { input } : {}),
    durationMs,
  }))
}

async function runsOf(
  at: Moment,
  hooks: readonly Hook[],
  event: Hook['event'],
  { tool, input }: { readonly tool: string; readonly input: unknown },
  signal: AbortSignal,
): Promise<readonly HookRun[]> {
  const call = { id: newId('call'), name: tool, input }
  if (event === 'beforeTool') return (await hearBefore(at, hooks, call, signal)).runs
  if (event === 'afterTool') return (await hearAfter(at, hooks, call, { output: 'a result' }, signal))?.runs ?? []
  const ended = { answer: 'What the agent said last.' }
  const about = {
    sessionStart: {},
    turnEnd: { turn: { id: newId('turn'), end: 'done', reason: 'A person tries this hook.', iterations: 1, ...ended } },
    taskEnd: { task: { id: newId('task'), status: 'finished', ...ended } },
  }[event]
  return (await hearAll(at, hooks, newId('turn'), about, signal)) ?? []
}
