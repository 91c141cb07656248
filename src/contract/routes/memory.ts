import { z } from 'zod'
import { Reply } from '../api.ts'
import {
  MemoryFile,
  MemoryFound,
  MemoryPath,
  MemoryPlace,
  MemoryText,
  MemoryWritten,
  SearchMemory,
  TidyMemory,
  WriteMemory,
} from '../memory.ts'
import type { RouteTable } from './route.ts'
import { InProject, page, projectQuery, Whole } from './shapes.ts'

const OneFile = z.object({ ...projectQuery, ...MemoryPlace.shape, path: MemoryPath })

/** Files that outlive a session. */
export const memoryRoutes = {
  'GET /api/memory': {
    summary: 'The memory files of the person, the project and its agents',
    who: 'person',
    query: Whole,
    answer: page(MemoryFile),
  },
  'GET /api/memory/file': {
    summary: 'One file with its text and the hash that a replace has to name',
    who: 'person',
    query: OneFile,
    answer: MemoryText,
  },
  'PUT /api/memory/file': {
    summary: 'Append to a file or replace it; a replace with the hash of another text is refused with 409',
    who: 'person',
    query: InProject,
    body: WriteMemory,
    answer: MemoryWritten,
  },
  'DELETE /api/memory/file': {
    summary: 'Remove a file',
    who: 'person',
    query: OneFile,
    answer: MemoryWritten,
  },
  'POST /api/memory/search': {
    summary: 'The sections that fit a query best',
    who: 'person',
    query: InProject,
    body: SearchMemory,
    answer: MemoryFound,
  },
  'POST /api/memory/tidy': {
    summary: 'Have an agent review its daily logs into long-term memory, in a session of its own',
    who: 'person',
    query: InProject,
    body: TidyMemory,
    answer: Reply,
    accepted: 'Accepted; the turn has not ended',
  },
} as const satisfies RouteTable
