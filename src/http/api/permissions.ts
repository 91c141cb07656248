import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi'
import {
  ChangePermission,
  CheckPermission,
  Permission,
  PermissionAnswer,
  PermissionDecision,
  PermissionRule,
} from '../../contract/permissions.ts'
import { addPermission, checkPermission, listPermissions, removePermission } from '../../core/permissions/index.ts'
import type { Env, Face } from '../context.ts'
import { nameOf } from '../guard/auth.ts'
import { answers, body, flag, Named, page, pageOf, projectQuery, shape, Whole } from '../shapes.ts'
import { projectOf } from './project.ts'

const tags = ['permissions']
const List = page(shape('Permission', Permission))

/** Which rules hold in a project, and what they say about a call. */
export function permissionRoutes({ core, security }: Face) {
  const list = createRoute({
    method: 'get',
    path: '/permissions',
    tags,
    summary: 'The rules that hold in the project, each with the file it is in',
    request: { query: Whole },
    responses: answers(List),
  })
  const add = createRoute({
    method: 'post',
    path: '/permissions',
    tags,
    summary: 'Add a rule for this project, or with global for all',
    request: { query: Named, body: body(ChangePermission) },
    responses: answers(List),
  })
  const remove = createRoute({
    method: 'delete',
    path: '/permissions',
    tags,
    summary: 'Remove a rule that was added here',
    request: {
      query: z.object({ ...projectQuery, decision: PermissionDecision, rule: PermissionRule, global: flag }),
    },
    responses: answers(List),
  })
  const check = createRoute({
    method: 'post',
    path: '/permissions/check',
    tags,
    summary: 'What would happen to a call, and why; nothing runs',
    request: { query: Named, body: body(CheckPermission) },
    responses: answers(PermissionAnswer),
  })

  return new OpenAPIHono<Env>()
    .openapi(list, (c) => c.json(pageOf(listPermissions(core, projectOf(core, c)), c.req.valid('query')), 200))
    .openapi(add, async (c) => {
      const change = c.req.valid('json')
      const project = projectOf(core, c)
      await addPermission(core, project, change)
      security('permission', 'POST /api/permissions', `${change.decision} ${change.rule} by ${nameOf(c.var.caller)}`)
      return c.json({ items: listPermissions(core, project) }, 200)
    })
    .openapi(remove, async (c) => {
      const { decision, rule, global } = c.req.valid('query')
      const project = projectOf(core, c)
      await removePermission(core, project, { decision, rule, ...(global === undefined ? {} : { global }) })
      security('permission', 'DELETE /api/permissions', `${decision} ${rule} removed by ${nameOf(c.var.caller)}`)
      return c.json({ items: listPermissions(core, project) }, 200)
    })
    .openapi(check, async (c) => c.json(await checkPermission(core, projectOf(core, c), c.req.valid('json')), 200))
}
