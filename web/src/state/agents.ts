import type { Agent, AgentFile, Problem } from '../../../src/contract/agents.ts'
import type { Model } from '../../../src/contract/models.ts'
import type { Session } from '../../../src/contract/sessions.ts'
import type { ToolInfo } from '../../../src/contract/tools.ts'
import { type Live, type Resource, refresh, useLive } from '../live/resource.ts'
import { server } from '../live/server.ts'
import { scratch } from './sessions.ts'

/** The agents of a project. They are files: no event tells of a change, so they are read whenever they are looked at. */
const agentsOf = (project: string | undefined): Resource<readonly Agent[]> => ({
  key: `agents ${project ?? ''}`,
  read: async () => ({ value: await server.all('GET /api/agents', { query: { project } }) }),
})

export const useAgents = (project: string | undefined): Live<readonly Agent[]> => useLive(agentsOf(project))

/** All tools that an agent could have, its own included. */
const toolsOf = (project: string | undefined): Resource<readonly ToolInfo[]> => ({
  key: `tools ${project ?? ''}`,
  read: async () => ({ value: await server.all('GET /api/tools', { query: { project } }) }),
})

export const useTools = (project: string | undefined): Live<readonly ToolInfo[]> => useLive(toolsOf(project))

const modelsOf = (project: string | undefined): Resource<readonly Model[]> => ({
  key: `models ${project ?? ''}`,
  read: async () => ({ value: await server.all('GET /api/models', { query: { project } }) }),
})

export const useModels = (project: string | undefined): Live<readonly Model[]> => useLive(modelsOf(project))

export const refreshModels = (project: string | undefined): void => refresh(modelsOf(project).key)

/** What a person writes about an agent. */
export interface Draft {
  readonly definition: AgentFile
  readonly prose: Agent['prose']
}

export async function putAgent(
  project: string | undefined,
  name: string,
  draft: Draft,
  where?: 'project' | 'global',
): Promise<Agent> {
  const body = { ...draft, ...(where && { where }) }
  const agent = await server.call('PUT /api/agents/{name}', { params: { name }, query: { project }, body })
  refresh(agentsOf(project).key)
  return agent
}

export async function deleteAgent(project: string | undefined, name: string): Promise<void> {
  await server.call('DELETE /api/agents/{name}', { params: { name }, query: { project } })
  refresh(agentsOf(project).key)
}

export const talkTo = (project: string | undefined, agent: string): Promise<Session> =>
  server.call('POST /api/sessions', { query: { project }, body: { agent, clientId: crypto.randomUUID() } })

/** A chat to try the agent in; the lists leave it out. */
export const tryOut = (project: string | undefined, agent: string): Promise<Session> =>
  server.call('POST /api/sessions', {
    query: { project },
    body: { agent, title: `Scratch: ${agent}`, attributes: scratch, clientId: crypto.randomUUID() },
  })

/** The problems of a field and of what is in it. */
export const problemsAt = (problems: readonly Problem[], field: string): readonly Problem[] =>
  problems.filter(({ field: at }) => at === field || at?.startsWith(`${field}.`) || at?.startsWith(`${field}[`))

/** A definition without what says nothing: no empty lists, groups or texts. */
export function tidy<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const kept = Object.entries(value).flatMap(([key, inside]) => {
    const tidied = tidy(inside as unknown)
    return isNothing(tidied) ? [] : [[key, tidied] as const]
  })
  return Object.fromEntries(kept) as T
}

const isNothing = (value: unknown): boolean =>
  value === undefined ||
  value === '' ||
  (typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0)
