import type { RawData, WebSocket } from 'ws'
import type { ClientCall } from '../../contract/client-tools.ts'
import { AppError, type ErrorCode } from '../../contract/errors.ts'
import { ClientFrame, REVOKED, type Subscribe, TOO_SLOW } from '../../contract/frames.ts'
import { InboxAnswer } from '../../contract/inbox.ts'
import { answerCall, offererKey } from '../../core/clients/index.ts'
import { getSession } from '../../core/sessions/index.ts'
import { cancelSession } from '../../core/steering/index.ts'
import { badKeys } from '../../lib/bad-keys.ts'
import { depthOf, LEVELS } from '../../lib/json.ts'
import { lock } from '../../lib/lock.ts'
import { filterOf } from '../api/events.ts'
import { answerItem } from '../api/inbox.ts'
import { send } from '../api/mail.ts'
import { namedProject } from '../api/project.ts'
import type { ServerParts } from '../context.ts'
import { bodyOf, toAppError } from '../errors.ts'
import { type Caller, callerName } from '../guard/auth.ts'
import { hasNul, parsed } from '../guard/body.ts'
import { whileHeld } from '../guard/held.ts'
import type { Sink, Subscription } from './feed.ts'

const OPEN_FRAMES = 32
const GRACE_MS = 5000

const closeCodes: Partial<Record<ErrorCode, number>> = {
  'events.too_slow': TOO_SLOW,
  'server.shutting_down': 1001,
  'auth.wrong': REVOKED,
}

/** One client on one socket: each frame that comes in is answered with its id; events, deltas and positions go out. */
export function converse(face: ServerParts, caller: Caller, ws: WebSocket, query: URLSearchParams): void {
  const { core } = face
  let subscription: Subscription | undefined
  const inTurn = lock()
  let open = 0
  let unanswered = 0
  const link = { send: (call: ClientCall) => reply({ call }) }

  ws.on('pong', () => {
    unanswered = 0
  })
  ws.on('error', () => ws.terminate())
  const leave = whileHeld(face, caller, () => end(revoked()))
  ws.on('close', () => {
    leave()
    subscription?.close()
    face.clientTools.leave(link)
  })
  ws.on('message', (data, isBinary) => void receive(data, isBinary))
  const asked = subscribeOf(query)
  if (asked !== undefined) void handle(asked)

  async function receive(data: RawData, isBinary: boolean): Promise<void> {
    // Until the other side has said goodbye too, frames still come in.
    if (ws.readyState !== ws.OPEN) return
    if (open >= OPEN_FRAMES) return reply({ ...bodyOf(tooFast()) })
    open += 1
    await handle(isBinary ? undefined : parse(String(data)))
    open -= 1
  }

  async function handle(given: unknown): Promise<void> {
    const id = idOf(given)
    try {
      const frame = ClientFrame.parse(given)
      if (frame.op === 'subscribe') await inTurn(() => subscribe(frame))
      else reply({ id, ok: await perform(frame) })
    } catch (thrown) {
      reply({ id, ...bodyOf(toAppError(thrown)) })
    }
  }

  async function subscribe(frame: Subscribe): Promise<void> {
    const filter = await filterOf(core, { ...frame, project: frame.project ?? query.get('project') ?? undefined })
    // The old stream is closed first: nothing may be sent between its cursor and the new stream.
    subscription?.close()
    const after = frame.after ?? subscription?.cursor
    subscription = await face.feed.subscribe(sinkFor(frame.id), filter, after)
    if (ws.readyState !== ws.OPEN) subscription.close()
  }

  async function perform(frame: Exclude<ClientFrame, Subscribe>): Promise<unknown> {
    if (frame.op === 'answer') {
      const { op: _op, id: _id, inboxId, ...answer } = frame
      return answerItem(face, caller, inboxId, InboxAnswer.parse(answer))
    }
    if (frame.op === 'tool.result') {
      const { op: _op, id: _id, ...result } = frame
      return answerCall(core, offererKey(callerName(caller), result.client), result)
    }
    const project = namedProject(core, frame.project ?? query.get('project') ?? undefined)
    if (frame.op === 'cancel') return cancelSession(core, (await getSession(core, project.id, frame.session)).id)
    if (frame.op === 'tools.register') {
      const { op: _op, id: _id, project: _project, ...asked } = frame
      return face.clientTools.register(core, project, callerName(caller), asked, link)
    }
    const { op: _op, id: _id, project: _project, ...mail } = frame
    return send(core, project, mail)
  }

  function sinkFor(id: string | number): Sink {
    return {
      get buffered() {
        return ws.bufferedAmount
      },
      begin: (seq) => reply({ id, seq }),
      write: (frame, flushed) => ws.send(frame.socket(), { binary: false }, flushed),
      ping() {
        if (unanswered >= 2) return ws.terminate()
        unanswered += 1
        ws.ping()
      },
      end: (error) => end(error),
    }
  }

  function end(error: AppError): void {
    subscription?.close()
    ws.close(closeCodes[error.code] ?? 1011, error.message)
    // A client that takes nothing never sees the end, and its buffer must not stay in memory.
    const timer = setTimeout(() => ws.terminate(), GRACE_MS).unref()
    ws.once('close', () => clearTimeout(timer))
  }

  function reply(frame: Record<string, unknown>): void {
    if (ws.readyState === ws.OPEN) ws.send(JSON.stringify(frame))
  }
}

function parse(text: string): unknown {
  const frame = depthOf(text) > LEVELS || hasNul(text) ? undefined : parsed(text)
  return badKeys(frame).length > 0 ? undefined : frame
}

/** The address of a socket may subscribe by itself: /api/ws?after=…&types=…&session=…&task=…&deltas=true */
function subscribeOf(query: URLSearchParams): unknown {
  const { project: _, types, deltas, ...given } = Object.fromEntries(query)
  if (types === undefined && deltas === undefined && Object.keys(given).length === 0) return undefined
  return {
    op: 'subscribe',
    id: 'url',
    ...given,
    types: types?.split(','),
    deltas: deltas === undefined ? undefined : (truth[deltas] ?? deltas),
  }
}

const truth: Readonly<Record<string, boolean>> = { true: true, '1': true, false: false, '0': false }

const idOf = (given: unknown): unknown =>
  typeof given === 'object' && given !== null && 'id' in given ? given.id : undefined

const revoked = (): AppError => new AppError('auth.wrong', 'The token of this connection was revoked.')

const tooFast = (): AppError =>
  new AppError('auth.too_many', `${OPEN_FRAMES} frames of this socket are being worked on already.`, {
    hint: 'Wait for their answers before sending more.',
  })
