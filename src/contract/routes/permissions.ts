import { z } from 'zod'
import {
  ChangePermission,
  CheckPermission,
  Permission,
  PermissionAnswer,
  PermissionDecision,
  PermissionRule,
} from '../permissions.ts'
import type { RouteTable } from './route.ts'
import { flag, InProject, page, projectQuery, Whole } from './shapes.ts'

/** Which rules hold in a project, and what they say about a call. */
export const permissionRoutes = {
  'GET /api/permissions': {
    summary: 'The rules that hold in the project, each with the file it is in',
    who: 'person',
    query: Whole,
    answer: page(Permission),
  },
  'POST /api/permissions': {
    summary: 'Add a rule for this project, or with global for all',
    who: 'person',
    query: InProject,
    body: ChangePermission,
    answer: page(Permission),
  },
  'DELETE /api/permissions': {
    summary: 'Remove a rule that was added here',
    who: 'person',
    query: z.object({ ...projectQuery, decision: PermissionDecision, rule: PermissionRule, global: flag }),
    answer: page(Permission),
  },
  'POST /api/permissions/check': {
    summary: 'What would happen to a call, and why; nothing runs',
    who: 'person',
    query: InProject,
    body: CheckPermission,
    answer: PermissionAnswer,
  },
} as const satisfies RouteTable
