import type { Routes } from '../../contract/routes/index.ts'
import type { Project } from '../../core/base/index.ts'
import { addPermission, checkPermission, listPermissions, removePermission } from '../../core/permissions/index.ts'
import type { ServerParts } from '../context.ts'
import { callerName } from '../guard/auth.ts'
import type { Handlers } from '../handlers.ts'
import { pageOf } from '../paging.ts'
import { projectOf } from './project.ts'

export const permissionHandlers = ({ core, security }: ServerParts): Handlers<Routes['permissions']> => ({
  'GET /api/permissions': ({ c, query }) => pageOf(listPermissions(core, projectOf(core, c)), query),
  'POST /api/permissions': async ({ c, body: change }) => {
    const project = projectOf(core, c)
    await addPermission(core, project, change)
    const by = callerName(c.var.caller)
    security(
      'permission',
      'POST /api/permissions',
      `${change.decision} ${change.rule} ${where(project, change)} by ${by}`,
      by,
    )
    return { items: listPermissions(core, project) }
  },
  'DELETE /api/permissions': async ({ c, query: { decision, rule, global } }) => {
    const project = projectOf(core, c)
    await removePermission(core, project, { decision, rule, ...(global === undefined ? {} : { global }) })
    const by = callerName(c.var.caller)
    security(
      'permission',
      'DELETE /api/permissions',
      `${decision} ${rule} removed ${where(project, { global })} by ${by}`,
      by,
    )
    return { items: listPermissions(core, project) }
  },
  'POST /api/permissions/check': ({ c, body }) => checkPermission(core, projectOf(core, c), body),
})

const where = ({ path }: Project, { global }: { global?: boolean | undefined }): string =>
  global ? 'for every project' : `for ${path}`
