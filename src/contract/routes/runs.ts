import { z } from 'zod'
import { NodeId } from '../ids.ts'
import { Board, CreateRun, Node, Run, RunFile, RunFileText, RunStatus } from '../runs.ts'
import type { RouteTable } from './route.ts'
import { Id, InProject, page, pageQuery } from './shapes.ts'

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
    query: z.object({ ...pageQuery, status: RunStatus.optional() }),
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
  'GET /api/runs/{id}/files': {
    ...one,
    summary: "The files in the run's folder; more where there are more than are listed",
    answer: z.strictObject({ items: z.array(RunFile), more: z.boolean() }),
  },
  'GET /api/runs/{id}/file': {
    ...one,
    summary: 'One file of the run, as text',
    query: InProject.extend({ path: z.string().min(1).max(4096).describe("Below the run's folder") }),
    answer: RunFileText,
  },
  'POST /api/runs/{id}/stop': {
    ...one,
    summary: 'End the run: what is open is canceled, the workers are closed; the coordinator still answers',
    answer: Run,
  },
} as const satisfies RouteTable
