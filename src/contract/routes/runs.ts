import { z } from 'zod'
import { NodeId } from '../ids.ts'
import { Mail, Receipt } from '../mail.ts'
import {
  Board,
  ChangeNode,
  CreateRun,
  DryRun,
  Node,
  ProposedNodes,
  Run,
  RunFile,
  RunFileText,
  RunStatus,
  Worker,
  WriteToRun,
} from '../runs.ts'
import type { RouteTable } from './route.ts'
import { begun, flag, Id, InProject, Ok, page, pageQuery } from './shapes.ts'

const OfNode = z.object({ id: z.string(), node: NodeId })
const one = { who: 'person', params: Id, query: InProject } as const

/** Goals in work. */
export const runRoutes = {
  'POST /api/runs': {
    summary: 'Start a run: a coordinator is given the goal',
    who: 'person',
    query: InProject,
    body: CreateRun,
    answer: begun(Run),
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
    params: OfNode,
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
  'PATCH /api/runs/{id}/nodes/{node}': {
    ...one,
    params: OfNode,
    summary: 'Give a node that has not begun another spec or another worker',
    body: ChangeNode,
    answer: Node,
  },
  'POST /api/runs/{id}/nodes/{node}/cancel': {
    ...one,
    params: OfNode,
    summary: 'Call a node off, with all below it; one that is worked on stops at its next safe point',
    answer: Node,
  },
  'POST /api/runs/{id}/nodes/{node}/retry': {
    ...one,
    params: OfNode,
    summary: 'Have a node done once more that failed or was canceled',
    answer: Node,
  },
  'POST /api/runs/{id}/dry-run': {
    ...one,
    summary: 'Which of proposed nodes could run side by side, and what forbids them; nothing is made',
    body: z.strictObject({ nodes: ProposedNodes }),
    answer: DryRun,
  },
  'GET /api/runs/{id}/workers': {
    ...one,
    summary: 'The workers of a run',
    answer: z.object({ items: z.array(Worker) }),
  },
  'GET /api/runs/{id}/graph': {
    ...one,
    query: InProject.extend({ at: z.string().min(1).max(20_000).describe('A seq as given; absent = now') }).partial({
      at: true,
    }),
    summary: 'The board as it was at an event',
    answer: Board,
  },
  'GET /api/runs/{id}/export': {
    ...one,
    query: InProject.extend({ format: z.enum(['md', 'jsonl']).default('md') }),
    summary: 'The whole run as Markdown or JSON lines: goal, outcome, nodes, conversations',
    raw: { 200: 'The file' },
  },
  'GET /api/runs/{id}/files': {
    ...one,
    summary: "The files in the run's folder; more where there are more than are listed",
    answer: z.strictObject({ items: z.array(RunFile), more: z.boolean() }),
  },
  'GET /api/runs/{id}/file': {
    ...one,
    summary: 'One file of the run, as text, or as an image where it is one',
    query: InProject.extend({ path: z.string().min(1).max(4096).describe("Below the run's folder") }),
    answer: RunFileText,
  },
  'POST /api/runs/{id}/stop': {
    ...one,
    summary: 'End the run: what is open is canceled, the workers are closed; the coordinator still answers',
    answer: Run,
  },
} as const satisfies RouteTable
