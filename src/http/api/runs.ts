import { Readable } from 'node:stream'
import type { Routes } from '../../contract/routes/index.ts'
import { standstillHint } from '../../core/inbox/index.ts'
import {
  archiveRun,
  boardAt,
  boardOf,
  cancelNode,
  createRun,
  dryRunOf,
  editNode,
  getNode,
  getRun,
  listRunFiles,
  listRuns,
  listWorkers,
  messagesOfRun,
  pauseRun,
  readRunFile,
  redoNode,
  resumeRun,
  stopRun,
  writeToRun,
} from '../../core/runs/index.ts'
import { exportRun } from '../../core/turns/index.ts'
import type { ServerParts } from '../context.ts'
import type { Handlers } from '../handlers.ts'
import { snapshot } from '../live/snapshot.ts'
import { projectOf, scopeOf } from './project.ts'
import { formats } from './session-parts.ts'

export const runHandlers = ({ core }: ServerParts): Handlers<Routes['runs']> => ({
  'POST /api/runs': async ({ c, body }) => ({
    ...(await createRun(core, projectOf(core, c), body)),
    ...(await standstillHint(core)),
  }),
  'GET /api/runs': ({ c, query: { project: _, ...query } }) => {
    const project = scopeOf(core, c)
    return snapshot(core, c)((db) => listRuns(db, { ...query, project }))
  },
  'GET /api/runs/{id}': ({ c, params: { id } }) => snapshot(core, c)((db) => getRun(db, id)),
  'GET /api/runs/{id}/board': ({ c, params: { id } }) => snapshot(core, c)((db) => boardOf(db, id)),
  'GET /api/runs/{id}/nodes/{node}': ({ c, params: { id, node } }) => snapshot(core, c)((db) => getNode(db, id, node)),
  'POST /api/runs/{id}/messages': async ({ params: { id }, body }) => ({ receipts: await writeToRun(core, id, body) }),
  'GET /api/runs/{id}/messages': ({ c, params: { id }, query }) =>
    snapshot(core, c)((db) => messagesOfRun(db, id, query)),
  'PATCH /api/runs/{id}/nodes/{node}': async ({ params: { id, node }, body }) => {
    await editNode(core, { runId: id }, node, body)
    return getNode(core.store.read, id, node)
  },
  'POST /api/runs/{id}/nodes/{node}/cancel': async ({ params: { id, node } }) => {
    await cancelNode(core, { runId: id }, node, 'A person called it off.')
    return getNode(core.store.read, id, node)
  },
  'POST /api/runs/{id}/nodes/{node}/retry': async ({ params: { id, node } }) => {
    await redoNode(core, { runId: id }, node)
    return getNode(core.store.read, id, node)
  },
  'POST /api/runs/{id}/dry-run': ({ params: { id }, body }) => dryRunOf(core.store.read, id, body.nodes),
  'GET /api/runs/{id}/workers': ({ c, params: { id } }) => snapshot(core, c)((db) => listWorkers(db, id)),
  'GET /api/runs/{id}/graph': ({ params: { id }, query: { at } }) => boardAt(core, id, at),
  'GET /api/runs/{id}/export': async ({ c, params: { id }, query: { format } }) => {
    await getRun(core.store.read, id)
    c.header('Content-Type', formats[format])
    c.header('Content-Disposition', `attachment; filename="${id}.${format}"`)
    return c.body(Readable.toWeb(Readable.from(exportRun(core, id, format))) as ReadableStream)
  },
  'GET /api/runs/{id}/files': ({ params: { id } }) => listRunFiles(core, id),
  'GET /api/runs/{id}/file': ({ params: { id }, query: { path } }) => readRunFile(core, id, path),
  'POST /api/runs/{id}/stop': async ({ params: { id } }) => {
    await stopRun(core, id)
    return getRun(core.store.read, id)
  },
  'POST /api/runs/{id}/pause': async ({ params: { id } }) => {
    await pauseRun(core, id)
    return getRun(core.store.read, id)
  },
  'POST /api/runs/{id}/resume': async ({ params: { id } }) => {
    await resumeRun(core, id)
    return getRun(core.store.read, id)
  },
  'DELETE /api/runs/{id}': async ({ params: { id } }) => {
    await archiveRun(core, id)
    return { ok: true }
  },
})
