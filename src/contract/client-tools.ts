import { z } from 'zod'
import { ToolName } from './tools.ts'

/** A tool that a connected program offers: calls of it are sent there, and its answer is the result. */
export const ClientTool = z.strictObject({
  name: ToolName,
  description: z.string().min(1).max(2000),
  /** JSON Schema of the input, of type "object". */
  inputSchema: z.record(z.string(), z.unknown()).optional(),
  capabilities: z.array(z.string().min(1).max(64)).max(20).optional(),
  /** After so many seconds without an answer the call has failed (60). */
  timeoutSeconds: z.int().min(1).max(600).optional(),
  /** It may be called beside the other calls of a step. */
  parallel: z.boolean().optional(),
})
export type ClientTool = z.infer<typeof ClientTool>

/** How a program is known: the same name with the same token is the same client, also after a reconnect. */
const ClientName = z.string().regex(/^[\w.@-]{1,64}$/, 'must be letters, digits, dots, dashes, underscores and @')

const CLIENT_TOOLS = 50

export const registration = {
  client: ClientName,
  /** For one session: its id or handle. Or for every session of an agent. */
  session: z.string().max(100).optional(),
  agent: z.string().max(64).optional(),
  /** All that it offers there from now on; none ends it. */
  tools: z.array(ClientTool).max(CLIENT_TOOLS),
}
export const Registration = z.strictObject(registration)
export type Registration = z.infer<typeof Registration>

export const clientResult = {
  client: ClientName,
  callId: z.string().max(100),
  /** Text or JSON. */
  output: z.unknown(),
  error: z.boolean().optional(),
}
export const ClientResult = z.strictObject(clientResult)
export type ClientResult = z.infer<typeof ClientResult>

/** A call that waits for the client's answer. */
export interface ClientCall {
  readonly callId: string
  readonly client: string
  readonly name: string
  readonly input: unknown
  readonly sessionId: string
  readonly agent: string
  /** When the wait ends. */
  readonly until: string
}
