import { z } from 'zod'
import { NodeId } from '../ids.ts'
import { Mail, Receipt } from '../mail.ts'
import { Board, CreateRun, Node, Run, RunStatus, WriteToRun } from '../runs.ts'
import type { RouteTable } from './route.ts'
import { flag, Id, InProject, Ok, page, pageQuery } from './shapes.ts'

const one = { who: 'person', params: Id, query: InProject } as const

/** Goals in work. */
export const runRoutes = {
  'POST /api/runs': {
    summary: 'Start a run: a coordinator is given the goal',
    who: 'person',
    query: InProject,
    body: CreateRun,
    answer: Run,
  },
  'GET /api/runs': {
    summary: 'Runs, the newest first',
    who: 'person',
    query: z.object({ ...pageQuery, status: RunStatus.optional(), archived: flag }),
    answer: page(Run),
  },
  'GET /api/runs/{id}': { ...one, summary: 'One run', answer: Run },
  'GET /api/runs/{id}/board': { ...one, summary: 'The run with its nodes, workers and edges', answer: Board },
  'GET /api/runs/{id}/nodes/{node}': {
    ...one,
    params: z.object({ id: z.string(), node: NodeId }),
    summary: 'One node, whole',
    answer: Node,
  },
  'POST /api/runs/{id}/messages': {
    ...one,
    summary: 'Write to the coordinator, to a worker, or to everyone in the run',
    body: WriteToRun,
    answer: z.strictObject({ receipts: z.array(Receipt) }),
  },
  'GET /api/runs/{id}/messages': {
    ...one,
    summary: 'What was written in the run, to whomever and by whomever, the newest first',
    query: z.object(pageQuery),
    answer: page(Mail),
  },
  'POST /api/runs/{id}/pause': {
    ...one,
    summary: 'Start nothing more; the members stop at their next safe point',
    answer: Run,
  },
  'POST /api/runs/{id}/resume': { ...one, summary: 'Go on as a whole where it was paused', answer: Run },
  'DELETE /api/runs/{id}': { ...one, summary: 'Stop the run if it is open, and take it off the lists', answer: Ok },
  'POST /api/runs/{id}/stop': {
    ...one,
    summary: 'End the run: what is open is canceled, the workers are closed; the coordinator still answers',
    answer: Run,
  },
} as const satisfies RouteTable
