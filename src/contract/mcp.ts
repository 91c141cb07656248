import { z } from 'zod'
import { Time } from './ids.ts'

/** Rules name tools `mcp:server.tool`, so a name has no dot and no bracket. */
export const McpName = z
  .string()
  .regex(/^[a-zA-Z0-9][a-zA-Z0-9_-]{0,39}$/, 'must be letters, digits, dashes and underscores, 40 at most')

const texts = z.record(z.string().min(1).max(200), z.string().max(10_000))
const seconds = z.int().min(1).max(600)

const timing = {
  enabled: z.boolean().optional().describe('false: it is not started and has no tools.'),
  startSeconds: seconds.optional().describe('So long it may take to answer when it is started (30).'),
  timeoutSeconds: seconds
    .optional()
    .describe('So long a call may be without an answer or a sign of progress (60); 600 in all.'),
}

/** A program of this machine, spoken to by its standard input and output. */
const StdioServer = z.strictObject({
  type: z.literal('stdio').optional(),
  command: z.string().min(1).max(4000),
  args: z.array(z.string().max(4000)).max(200).optional(),
  env: texts.optional().describe('Variables it gets beside those any program needs; "$NAME" reads ours.'),
  ...timing,
})

/** A server elsewhere, spoken to by streamable HTTP. */
const HttpServer = z.strictObject({
  type: z.enum(['http', 'streamable-http']).optional(),
  url: z.string().regex(/^(https?:\/\/|\$)/, 'must begin with https:// or http://'),
  headers: texts.optional().describe('"$NAME" reads the variable NAME; in braces it does inside a text.'),
  ...timing,
})

export const McpServer = z.union([StdioServer, HttpServer], {
  error: 'must have a "command" (a program) or a "url" (streamable HTTP), with known fields only',
})
export type McpServer = z.infer<typeof McpServer>

export const McpState = z.enum(['idle', 'starting', 'running', 'down', 'login', 'off'])
export type McpState = z.infer<typeof McpState>

/** A server as it stands in the settings, and what is known of it. No secrets. */
export const McpInfo = z
  .strictObject({
    name: z.string(),
    /** Where it is written, and the file. */
    source: z.enum(['agent', 'project-local', 'project', 'home', 'flag', 'environment', 'default', '.mcp.json']),
    file: z.string(),
    transport: z.enum(['stdio', 'http']),
    /** The command line without its variables, or the address. */
    target: z.string(),
    /** idle: it is started when it is needed. down: it could not be started or broke off. login: it wants one. */
    state: McpState,
    /** Why it is down. */
    reason: z.string().optional(),
    /** When it is tried again at the earliest. */
    retryAt: Time.optional(),
    /** What it called itself when it was last connected. */
    says: z.string().optional(),
    tools: z.array(
      z.strictObject({
        name: z.string().describe('As agents call it'),
        rule: z.string().describe('As rules name it'),
        /** It is new or has changed since it was approved, so it is asked for whatever rules allow. */
        changed: z.boolean(),
      }),
    ),
    resources: z.boolean(),
    prompts: z.array(z.string()),
  })
  .meta({ id: 'McpServer' })
export type McpInfo = z.infer<typeof McpInfo>

/** What a server printed beside its answers, the newest last. */
export const McpLog = z.strictObject({ text: z.string() })

/** Where the browser leads back to: a port of this machine on which the command waits. */
export const McpLogin = z.strictObject({
  redirectUrl: z
    .string()
    .max(200)
    .regex(/^http:\/\/(127\.0\.0\.1|localhost|\[::1\]):\d+\//, 'must be an http address of this machine'),
})

export const McpAuthorize = z.strictObject({ url: z.string(), state: z.string() })

/** What the browser brought back. */
export const McpGrant = z.strictObject({
  state: z.string().max(200),
  code: z.string().min(1).max(8000),
  iss: z.string().max(2000).optional(),
})
