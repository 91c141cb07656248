import type { SessionId } from '../../contract/ids.ts'
import type { WhyThing, WhyUnblock, WhyWakes } from '../../contract/why.ts'
import { visible } from '../../lib/hidden.ts'
import { shorten } from '../../lib/shorten.ts'
import { inputOf } from '../../store/calls.ts'
import { findInbox } from '../../store/inbox.ts'
import { findSession, handleOf } from '../../store/sessions.ts'
import type { CallRow, Db, InboxRow, SessionRow } from '../../store/tables.ts'
import type { Core } from '../base/index.ts'
import { calledAs } from '../sessions/index.ts'

/** What one parked call waits for, in the words of `why`. */
export interface Waiting {
  /** What comes after "waits …". */
  readonly says: string
  readonly since: number
  readonly things: readonly WhyThing[]
  readonly wakes: WhyWakes
  readonly unblock: readonly WhyUnblock[]
  readonly follows: readonly SessionId[]
}

/** What is needed to look at the rows and name them. */
export interface Sight {
  readonly core: Core
  readonly db: Db
  /** The asker's project: handles mean something only there. */
  readonly project: string
}

/** A session as sentences and commands call it. */
export interface Named {
  readonly who: string
  /** What a command takes: the handle, or the whole id for a session of another project. */
  readonly ref: string
}

export async function nameOf({ db, project }: Sight, session: SessionRow): Promise<Named> {
  const handle = await handleOf(db, session.project_id, session.id)
  return { who: `${calledAs(session)} ${handle}`, ref: session.project_id === project ? handle : session.id }
}

export async function nameOfId(sight: Sight, id: SessionId): Promise<Named> {
  const session = await findSession(sight.db, id)
  return session === undefined ? { who: id, ref: id } : nameOf(sight, session)
}

export const person = (does: string, command: string): WhyUnblock => ({ who: 'human', does, command })

export const endEarly = ({ ref }: Named): WhyUnblock => person('end the wait with a message', `troupe send ${ref} "…"`)

const LABEL = 120

/** Words of agents, files and vendors on one line, with nothing hidden in it. */
export const line = ({ core }: Sight, text: string, length = LABEL): string =>
  visible(shorten(core.mask(text).trim(), length))

export const moment = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`

export const atLatest = (until: number | undefined): string =>
  until === undefined ? '' : `, or the time ${moment(until)}`

/** What wakes the call, and when at the latest. */
export const wakes = (by: WhyWakes['by'], label: string, at?: number): WhyWakes => ({
  by,
  label,
  ...(at === undefined ? {} : { at: new Date(at).toISOString() }),
})

/** The call with the first thing it was given: a command, a path, a question. */
export function described(sight: Sight, call: CallRow): string {
  const input: unknown = inputOf(call)
  const first = typeof input === 'object' && input !== null ? Object.values(input)[0] : input
  return first === undefined || first === null
    ? call.name
    : line(sight, `${call.name}: ${typeof first === 'string' ? first : JSON.stringify(first)}`)
}

/** How many of a list are named before the rest is only counted. */
export const NAMED = 3

export function listed(names: readonly string[]): string {
  const rest = names.length - NAMED
  return rest > 0 ? `${names.slice(0, NAMED).join(', ')} and ${rest} more` : names.join(' and ')
}

/** What `why` says of a call that waits for a person. */
export async function forPerson(
  { db }: Sight,
  call: CallRow,
  { wanted, commands }: { readonly wanted: string; commands(inboxId: string): WhyUnblock[] },
  about: {
    readonly kind: WhyThing['kind']
    readonly says: string
    label(item: InboxRow | undefined): string
  },
): Promise<Waiting> {
  const item = call.inbox_id === null ? undefined : await findInbox(db, call.inbox_id)
  const ref = call.inbox_id ?? call.id
  return {
    says: about.says,
    since: item?.created_at ?? call.created_at,
    things: [{ kind: about.kind, ref, label: about.label(item) }],
    wakes: wakes('answer', wanted),
    unblock: commands(ref),
    follows: [],
  }
}
