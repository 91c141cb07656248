import type { MemoryPlace } from '../../contract/memory.ts'
import type { Routes } from '../../contract/routes/index.ts'
import type { Project } from '../../core/base/index.ts'
import {
  listMemory,
  memoryScope,
  mustHaveMemory,
  projectScopes,
  readMemory,
  searchMemory,
  writeMemory,
} from '../../core/memory/index.ts'
import { tidyMemory } from '../../core/steering/index.ts'
import { newId } from '../../lib/ids.ts'
import type { ServerParts } from '../context.ts'
import type { Handlers } from '../handlers.ts'
import { pageOf } from '../paging.ts'
import { replyTo } from './mail.ts'
import { projectOf } from './project.ts'

export function memoryHandlers({ core, closing }: ServerParts): Handlers<Routes['memory']> {
  const placeIn = (project: Project, { scope, agent }: MemoryPlace) => {
    mustHaveMemory(core, project, scope)
    return memoryScope(core, project, scope, agent)
  }
  const byPerson = () => ({ id: newId('write') })

  return {
    'GET /api/memory': ({ c, query }) => pageOf(listMemory(core, projectOf(core, c)), query),
    'GET /api/memory/file': ({ c, query: { path, ...place } }) =>
      readMemory(core, placeIn(projectOf(core, c), place), path),
    'PUT /api/memory/file': ({ c, body: { scope, agent, ...change } }) => {
      const project = projectOf(core, c)
      return writeMemory(core, project, placeIn(project, { scope, agent }), change, byPerson())
    },
    'DELETE /api/memory/file': async ({ c, query: { path, ...place } }) => {
      const project = projectOf(core, c)
      const scope = placeIn(project, place)
      await readMemory(core, scope, path)
      return writeMemory(core, project, scope, { path, content: '', mode: 'delete' }, byPerson())
    },
    'POST /api/memory/search': ({ c, body: { query, limit, scope: name, agent } }) => {
      const project = projectOf(core, c)
      mustHaveMemory(core, project, name ?? 'project')
      const scopes = name === undefined ? projectScopes(core, project) : [memoryScope(core, project, name, agent)]
      return searchMemory(core, project, scopes, { query, limit, signal: c.req.raw.signal })
    },
    'POST /api/memory/tidy': async ({ c, body: { agent, wait } }) => {
      const receipt = await tidyMemory(core, projectOf(core, c), agent)
      const reply = await replyTo(core, receipt, wait, AbortSignal.any([c.req.raw.signal, closing]))
      c.status(reply.ended ? 200 : 202)
      return reply
    },
  }
}
