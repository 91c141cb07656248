import type { Routes } from '../../contract/routes/index.ts'
import { keepUpload, rootOf, showFile, showFolder } from '../../core/files/index.ts'
import type { ServerParts } from '../context.ts'
import { callerName } from '../guard/auth.ts'
import type { Handlers } from '../handlers.ts'
import { projectOf } from './project.ts'

export const fileHandlers = ({ core, security }: ServerParts): Handlers<Routes['files']> => ({
  'GET /api/files': async ({ c, query: { path, session } }) =>
    showFolder(core, await rootOf(core, projectOf(core, c), session), path),
  'GET /api/file': async ({ c, query: { path, session } }) =>
    showFile(core, await rootOf(core, projectOf(core, c), session), path),
  'POST /api/sessions/{ref}/uploads': async ({ c, params: { ref }, body }) => {
    const kept = await keepUpload(await rootOf(core, projectOf(core, c), ref), body)
    const by = callerName(c.var.caller)
    security('upload', 'POST /api/sessions/uploads', `${kept.path} (${kept.size} bytes) by ${by}`, by)
    return kept
  },
})
