import type { Context } from 'hono'
import { AppError } from '../../contract/errors.ts'
import type { Core, Project } from '../../core/base/index.ts'
import { findProject } from '../../core/config/index.ts'
import type { HttpEnv } from '../context.ts'

/**
 * The project a request is about, named by its query or its header Troupe-Project (a folder, percent-encoded where
 * needed); otherwise the server's own. A session's request is about the session's project, whatever it names.
 */
export const projectOf = (core: Core, c: Context<HttpEnv>): Project =>
  c.var.caller.kind === 'session' ? c.var.caller.project : namedProject(core, folderOf(c))

/** The project of a list, or `*` for a list over all projects. */
export function scopeOf(core: Core, c: Context<HttpEnv>, absent: 'own' | '*' = 'own'): string {
  const folder = folderOf(c) ?? (absent === '*' ? '*' : undefined)
  return folder === '*' ? '*' : namedProject(core, folder).id
}

export function namedProject(core: Core, folder: string | undefined): Project {
  if (folder === undefined || folder === '') return core.project
  if (folder === '*') {
    throw new AppError('request.invalid', 'The project "*" stands for all projects, and this request needs one.', {
      hint: 'Name a folder, or leave the project out to use the one of the server.',
    })
  }
  return findProject(core.home, folder)
}

/** The project as the request names it: a folder, `*`, or nothing. */
export const folderOf = (c: Context<HttpEnv>): string | undefined =>
  c.req.query('project') || decoded(c.req.header('troupe-project'))

function decoded(header: string | undefined): string | undefined {
  if (header === undefined || header === '') return undefined
  try {
    return decodeURIComponent(header)
  } catch {
    // The name of the folder has a percent sign and was sent as it is.
    return header
  }
}
