import { AppError } from '../../contract/errors.ts'
import type { CallId } from '../../contract/ids.ts'
import { findCall, hookedOf, openCalls } from '../../store/calls.ts'
import type { CallRow, SessionRow } from '../../store/tables.ts'
import { described, explain, listed, type Named, nameOf, person, wakes } from '../waits/index.ts'
import { ownerOf } from './owner.ts'
import type { Look, Reason } from './reason.ts'

/** Why a tool call has no result yet. */
export async function callReason(look: Look, id: CallId): Promise<Reason> {
  const call = await findCall(look.db, id)
  if (call === undefined) {
    throw new AppError('call.not_found', `There is no call "${id}".`, {
      hint: 'The calls of a session are in its messages: troupe sessions messages <handle>',
    })
  }
  const session = await ownerOf(look, call.session_id)
  const name = await nameOf(look, session)
  const base = { ref: id, state: call.state, who: `${described(look, call)} of ${name.who}` }
  const [waiting] = await explain(look, [call], name)
  if (waiting !== undefined) {
    const { says, things, ...wait } = waiting
    const cancel = person('end the turn', `troupe sessions cancel ${name.ref}`)
    const notes = session.status === 'paused' ? ['Its session is paused as well: it has to be resumed, too.'] : []
    return { ...base, ...wait, says: `waits ${says}`, waitsOn: things, unblock: [...wait.unblock, cancel], notes }
  }
  return { ...base, ...(await moving(look, call, session, name)) }
}

async function moving(
  look: Look,
  call: CallRow,
  session: SessionRow,
  name: Named,
): Promise<Pick<Reason, 'since' | 'says' | 'waitsOn' | 'wakes' | 'unblock' | 'follows'>> {
  const cancel = person('stop it', `troupe sessions cancel ${name.ref}`)
  if (call.state === 'started') {
    return {
      since: call.started_at ?? call.created_at,
      says: 'runs',
      waitsOn: [{ kind: 'call', ref: call.id, label: described(look, call) }],
      wakes: wakes('call', 'its result'),
      unblock: [cancel],
    }
  }
  if (call.state === 'done') {
    return {
      since: call.ended_at ?? call.started_at ?? call.created_at,
      says: 'has its result in the log',
      waitsOn: [],
      wakes: wakes('nothing', 'nothing: it is done'),
      unblock: [person('read it', `troupe sessions messages ${name.ref}`)],
    }
  }
  const { waits: hooks, since } = hookedOf(call)
  if (call.state === 'ready' && hooks !== undefined) {
    return {
      since: since ?? call.created_at,
      says: `waits for ${hookNames(hooks)}`,
      waitsOn: [{ kind: 'call', ref: call.id, label: described(look, call) }],
      wakes: wakes('call', 'what the hooks say, or their time limit'),
      unblock: [cancel],
    }
  }
  const resolved = call.state === 'resolved'
  const earlier = resolved ? undefined : (await openCalls(look.db, session.id)).find((other) => isBefore(other, call))
  return {
    since: call.created_at,
    says: resolved ? 'has its result, which is about to be written into the log' : 'has not begun',
    waitsOn: earlier
      ? [{ kind: 'call', ref: earlier.id, label: `the call before it, ${described(look, earlier)}` }]
      : [{ kind: 'session', ref: session.id, label: name.who }],
    wakes: earlier
      ? wakes('call', 'the result of the call before it')
      : wakes('runner', 'the next step of its session'),
    unblock: [cancel],
    follows: [session.id],
  }
}

const isBefore = (other: CallRow, call: CallRow): boolean =>
  other.message_seq < call.message_seq || (other.message_seq === call.message_seq && other.position < call.position)

export const hookNames = (names: readonly string[]): string =>
  `the hook${names.length === 1 ? '' : 's'} ${listed(names.map((name) => `"${name}"`))}`
