import { z } from 'zod'
import { McpAuthorize, McpGrant, McpInfo, McpLog, McpLogin } from '../mcp.ts'
import type { RouteTable } from './route.ts'
import { page, projectQuery, wholeQuery } from './shapes.ts'

const agent = z.string().max(64).optional().describe('With the servers of this agent')
const OfAgent = z.object({ ...projectQuery, agent })
const Name = z.object({ name: z.string().min(1).max(40).describe('As it is called in the settings') })

/** Servers of the Model Context Protocol. They are added and removed in the settings, under `mcpServers`. */
export const mcpRoutes = {
  'GET /api/mcp': {
    summary: 'The MCP servers, what each is doing and what it has',
    who: 'person',
    query: z.object({ ...wholeQuery, agent }),
    answer: page(McpInfo),
  },
  'POST /api/mcp/{name}/test': {
    summary: 'Start a server now and read what it has',
    who: 'person',
    params: Name,
    query: OfAgent,
    answer: McpInfo,
  },
  'GET /api/mcp/{name}/log': {
    summary: 'What a server printed beside its answers, the newest last',
    who: 'person',
    params: Name,
    query: OfAgent,
    answer: McpLog,
  },
  'POST /api/mcp/{name}/login': {
    summary: 'Begin a login (OAuth): answers the address to open in a browser',
    who: 'person',
    params: Name,
    query: OfAgent,
    body: McpLogin,
    answer: McpAuthorize,
  },
  'POST /api/mcp/{name}/login/finish': {
    summary: 'End a login with what the browser brought back',
    who: 'person',
    params: Name,
    query: OfAgent,
    body: McpGrant,
    answer: McpInfo,
  },
  'DELETE /api/mcp/{name}/login': {
    summary: 'Forget a login',
    who: 'person',
    params: Name,
    query: OfAgent,
    answer: McpInfo,
  },
} as const satisfies RouteTable
