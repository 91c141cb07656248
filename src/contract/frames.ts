import { z } from 'zod'
import { type ErrorBody, SendMail } from './api.ts'
import { type ClientCall, clientResult, registration } from './client-tools.ts'
import { type Delta, type Event, eventTypes } from './events.ts'
import { InboxId } from './ids.ts'
import { Decision } from './inbox.ts'

/** The subprotocol of /api/ws; the token rides beside it as `bearer.<token>` and is not echoed. */
export const SOCKET_PROTOCOL = 'troupe.v1'

/** Chosen by the client; the answer to a frame carries it. */
const id = z.union([z.string().min(1).max(100), z.int()])

/** One socket carries one stream of events: a second subscribe replaces the first and goes on where the first was. */
export const Subscribe = z.strictObject({
  op: z.literal('subscribe'),
  id,
  /** The last seq that was received; absent = from now on. */
  after: z.string().max(20_000).optional(),
  types: z.array(z.enum(eventTypes)).min(1).optional(),
  /** A session's id or handle. */
  session: z.string().optional(),
  task: z.string().max(100).optional(),
  run: z.string().max(100).optional(),
  node: z.string().max(100).optional(),
  /** A folder, or `*`. */
  project: z.string().optional(),
  /** Also the text as it streams, beside the events. */
  deltas: z.boolean().optional(),
})
export type Subscribe = z.infer<typeof Subscribe>

const { wait: _waitsOverHttpOnly, ask: _too, ...mail } = SendMail.shape

export const ClientFrame = z.discriminatedUnion('op', [
  Subscribe,
  z.strictObject({ op: z.literal('send'), id, project: z.string().optional(), ...mail }),
  z.strictObject({
    op: z.literal('answer'),
    id,
    inboxId: InboxId,
    answer: z.string().optional(),
    decision: Decision.optional(),
    reason: z.string().optional(),
  }),
  z.strictObject({ op: z.literal('tools.register'), id, project: z.string().optional(), ...registration }),
  z.strictObject({ op: z.literal('tool.result'), id, ...clientResult }),
  z.strictObject({ op: z.literal('cancel'), id, session: z.string(), project: z.string().optional() }),
])
export type ClientFrame = z.infer<typeof ClientFrame>

/** What the server sends: an event, a delta, a position, a call for a client's tool, or the answer to the frame of that id. */
export interface ServerFrame extends Partial<ErrorBody> {
  readonly event?: Event
  readonly delta?: Delta
  readonly seq?: string
  readonly call?: ClientCall
  readonly id?: string | number
  readonly ok?: unknown
}

/** The close code of a socket whose client read too slowly; the client resumes with `after`. */
export const TOO_SLOW = 4008

/** The close code of a socket whose token was revoked; a new token opens a new socket. */
export const REVOKED = 4401
