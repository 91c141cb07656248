import type { Routes } from '../../contract/routes/index.ts'
import {
  boardOf,
  createRun,
  endRun,
  getNode,
  getRun,
  listRunFiles,
  listRuns,
  readRunFile,
} from '../../core/runs/index.ts'
import type { ServerParts } from '../context.ts'
import type { Handlers } from '../handlers.ts'
import { snapshot } from '../live/snapshot.ts'
import { projectOf, scopeOf } from './project.ts'

export const runHandlers = ({ core }: ServerParts): Handlers<Routes['runs']> => ({
  'POST /api/runs': ({ c, body }) => createRun(core, projectOf(core, c), body),
  'GET /api/runs': ({ c, query: { project: _, ...query } }) => {
    const project = scopeOf(core, c)
    return snapshot(core, c)((db) => listRuns(db, { ...query, project }))
  },
  'GET /api/runs/{id}': ({ c, params: { id } }) => snapshot(core, c)((db) => getRun(db, id)),
  'GET /api/runs/{id}/board': ({ c, params: { id } }) => snapshot(core, c)((db) => boardOf(db, id)),
  'GET /api/runs/{id}/nodes/{node}': ({ c, params: { id, node } }) => snapshot(core, c)((db) => getNode(db, id, node)),
  'GET /api/runs/{id}/files': ({ params: { id } }) => listRunFiles(core, id),
  'GET /api/runs/{id}/file': ({ params: { id }, query: { path } }) => readRunFile(core, id, path),
  'POST /api/runs/{id}/stop': async ({ params: { id } }) => {
    await endRun(core, id, { status: 'stopped', reason: 'A person stopped it.' })
    return getRun(core.store.read, id)
  },
})
