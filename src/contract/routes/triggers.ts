import { z } from 'zod'
import {
  ChangeTrigger,
  CreateTrigger,
  Daemon,
  StartDaemon,
  StopDaemon,
  Trigger,
  TriggerFire,
  TriggerStatus,
} from '../triggers.ts'
import type { RouteTable } from './route.ts'
import { Id, InProject, Ok, page, pageQuery, projectQuery } from './shapes.ts'

const Name = z.object({ agent: z.string().max(64) })
const FireTrigger = z.strictObject({ clientId: z.string().min(1).max(200).optional() })

/** What starts by itself later, and what came of it. */
export const triggerRoutes = {
  'GET /api/triggers': {
    summary: 'Triggers, the newest first',
    who: 'person',
    query: z.object({ ...pageQuery, status: TriggerStatus.optional() }),
    answer: page(Trigger),
  },
  'POST /api/triggers': {
    summary: 'Make a trigger: when it fires and what it does then',
    who: 'person',
    query: InProject,
    body: CreateTrigger,
    answer: Trigger,
  },
  'GET /api/triggers/{id}': { summary: 'One trigger', who: 'person', params: Id, query: InProject, answer: Trigger },
  'PATCH /api/triggers/{id}': {
    summary: 'Change it, move it, pause or resume it',
    who: 'person',
    params: Id,
    query: InProject,
    body: ChangeTrigger,
    answer: Trigger,
  },
  'DELETE /api/triggers/{id}': {
    summary: 'Delete it with its outcomes; what it started goes on',
    who: 'person',
    params: Id,
    query: InProject,
    answer: Ok,
  },
  'GET /api/triggers/{id}/fires': {
    summary: 'What became of each of its occurrences, the newest first',
    who: 'person',
    params: Id,
    query: z.object(pageQuery),
    answer: page(TriggerFire),
  },
  'POST /api/triggers/{id}/fire': {
    summary: 'Fire it now, whatever its status; when it is due next does not change',
    who: 'person',
    params: Id,
    query: InProject,
    body: FireTrigger,
    bodyOptional: true,
    answer: TriggerFire,
  },
  'GET /api/daemons': {
    summary: 'The agents that work by themselves, with the tick that runs now',
    who: 'person',
    query: z.object(projectQuery),
    answer: page(Daemon),
  },
  'POST /api/daemons/{agent}/start': {
    summary: 'Let an agent work by itself: each tick is a fresh session that reads its heartbeat file',
    who: 'person',
    params: Name,
    query: InProject,
    body: StartDaemon,
    bodyOptional: true,
    answer: Daemon,
  },
  'POST /api/daemons/{agent}/stop': {
    summary: 'No more ticks; one that runs goes on to its end',
    who: 'person',
    params: Name,
    query: InProject,
    body: StopDaemon,
    bodyOptional: true,
    answer: Daemon,
  },
} as const satisfies RouteTable
