import { z } from 'zod'
import { AgentPreview, PreviewAgent } from '../agent-preview.ts'
import { Agent } from '../agents.ts'
import { PutAgent } from '../api.ts'
import { ImportAgents, ImportedAgent } from '../imports.ts'
import type { RouteTable } from './route.ts'
import { InProject, Ok, page, Whole } from './shapes.ts'

const Name = z.object({ name: z.string().max(64) })

/** Definitions on disk, with their problems. */
export const agentRoutes = {
  'GET /api/agents': {
    summary: 'The agents of the project, broken ones with what is wrong',
    who: 'session',
    query: Whole,
    answer: page(Agent),
  },
  'GET /api/agents/{name}': {
    summary: 'One agent',
    who: 'person',
    params: Name,
    query: InProject,
    answer: Agent,
  },
  'PUT /api/agents/{name}': {
    summary: 'Write a definition, new or changed',
    who: 'person',
    params: Name,
    query: InProject,
    body: PutAgent,
    answer: Agent,
  },
  'POST /api/agents/{name}/preview': {
    summary: 'What is wrong with a definition that is not written yet, and the prompt and tools it would make',
    who: 'person',
    params: Name,
    query: InProject,
    body: PreviewAgent,
    answer: AgentPreview,
  },
  'POST /api/agents/import': {
    summary: 'Make agents of the project from those of other programs (.claude/agents, .opencode/agent)',
    who: 'person',
    query: InProject,
    body: ImportAgents,
    bodyOptional: true,
    answer: z.strictObject({ items: z.array(ImportedAgent) }),
  },
  'DELETE /api/agents/{name}': {
    summary: 'Delete a definition; its sessions stay',
    who: 'person',
    params: Name,
    query: InProject,
    answer: Ok,
  },
} as const satisfies RouteTable
