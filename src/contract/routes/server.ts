import { Backup, ServerStatus } from '../server.ts'
import { Top } from '../top.ts'
import { Welcome } from '../welcome.ts'
import type { RouteTable } from './route.ts'
import { InProject, Ok } from './shapes.ts'

/** The server itself: what it is, what it holds, how it is described and ended. */
export const serverRoutes = {
  'GET /api/health': {
    summary: 'Whether the server answers; needs no token',
    who: 'anyone',
    answer: Ok,
  },
  'GET /api/status': {
    summary: 'Version, store, engine, counts, providers, cost today: of all projects, or of the one that is named',
    who: 'person',
    query: InProject,
    answer: ServerStatus,
  },
  'GET /api/top': {
    summary: 'All that runs or waits, with what it does in one line: of all projects, or of the one that is named',
    who: 'person',
    query: InProject,
    answer: Top,
  },
  'GET /api/welcome': {
    summary: 'What was found for a newcomer: keys, local models, command-line agents, by name; and the run of the demo',
    who: 'person',
    query: InProject,
    answer: Welcome,
  },
  'GET /metrics': {
    summary: 'Sessions, mail, turns, model calls, tokens, cost and the lag of the event loop, for Prometheus',
    who: 'person',
    raw: { 200: 'Text in the format of Prometheus, version 0.0.4' },
  },
  'POST /api/backup': {
    summary: 'Copy the database into the folder "backups" of the data folder while it runs',
    who: 'person',
    answer: Backup,
  },
  'POST /api/shutdown': {
    summary: 'Stop the server; what runs is kept and goes on at the next start',
    who: 'person',
    answer: Ok,
  },
  'GET /api/openapi.json': {
    summary: 'This API as an OpenAPI 3.1 document',
    who: 'person',
    raw: { 200: 'The document' },
  },
  'GET /api/docs': {
    summary: 'This API as a page',
    who: 'person',
    raw: { 200: 'The page' },
  },
} as const satisfies RouteTable
