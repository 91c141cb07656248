import type { SessionId } from '../../contract/ids.ts'
import type { WhyThing, WhyUnblock, WhyWakes } from '../../contract/why.ts'
import { shorten } from '../../lib/shorten.ts'
import { inputOf } from '../../store/calls.ts'
import { findSession, handleOf } from '../../store/sessions.ts'
import type { CallRow, Db, SessionRow } from '../../store/tables.ts'
import type { Core } from '../base/index.ts'
import { visible } from '../sessions/index.ts'

/** What the rows are looked at with; all of one answer is read at one moment. */
export interface Look {
  readonly core: Core
  readonly db: Db
  /** The asker's project: handles mean something only there. */
  readonly project: string
  readonly now: number
  readonly limits: { readonly maxConcurrentTasks: number; readonly maxConcurrentTurns: number }
}

/** Why one thing is as it is, before it is put into words. */
export interface Reason {
  readonly ref: string
  readonly state: string
  readonly since: number
  /** The agent and its handle, or the id. */
  readonly who: string
  /** The rest of the sentence: "waits for your answer". */
  readonly says: string
  /** Further facts, one line each. */
  readonly notes?: readonly string[]
  readonly waitsOn: readonly WhyThing[]
  readonly wakes: WhyWakes
  readonly unblock: readonly WhyUnblock[]
  /** Sessions whose own reasons continue this one. */
  readonly follows?: readonly SessionId[]
}

/** A session as sentences and commands call it. */
export interface Named {
  readonly who: string
  /** What a command takes: the handle, or the whole id where the handle would mean another project's. */
  readonly ref: string
}

export async function nameOf({ db, project }: Look, session: SessionRow): Promise<Named> {
  const handle = await handleOf(db, session.project_id, session.id)
  return { who: `${session.agent} ${handle}`, ref: session.project_id === project ? handle : session.id }
}

export async function nameOfId(look: Look, id: SessionId): Promise<Named> {
  const session = await findSession(look.db, id)
  return session === undefined ? { who: id, ref: id } : nameOf(look, session)
}

export const person = (does: string, command: string): WhyUnblock => ({ who: 'human', does, command })

const LABEL = 120

/** Words of agents, files and vendors on one line, with nothing hidden in it. */
export const line = ({ core }: Look, text: string, length = LABEL): string =>
  visible(shorten(core.mask(text).trim(), length))

export const count = (many: number, noun: string): string => `${many} ${noun}${many === 1 ? '' : 's'}`

/** `3s`, `4m`, `2h 5m`, `3d 4h`: two units are enough to know. */
export function lasting(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  if (seconds < 60) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes}m`
  const hours = Math.floor(minutes / 60)
  if (hours < 24) return minutes % 60 === 0 ? `${hours}h` : `${hours}h ${minutes % 60}m`
  return hours % 24 === 0 ? `${hours / 24}d` : `${Math.floor(hours / 24)}d ${hours % 24}h`
}

export const moment = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`

/** What wakes it, at a moment at the latest where there is one. */
export const wakes = (by: WhyWakes['by'], label: string, at?: number): WhyWakes => ({
  by,
  label,
  ...(at === undefined ? {} : { at: new Date(at).toISOString() }),
})

/** The call with the first thing it was given: a command, a path, a question. */
export function described(look: Look, call: CallRow): string {
  const input: unknown = inputOf(call)
  const first = typeof input === 'object' && input !== null ? Object.values(input)[0] : input
  return first === undefined || first === null
    ? call.name
    : line(look, `${call.name}: ${typeof first === 'string' ? first : JSON.stringify(first)}`)
}

/** How many of a list are named before the rest is only counted. */
export const NAMED = 3

export function listed(names: readonly string[]): string {
  const rest = names.length - NAMED
  return rest > 0 ? `${names.slice(0, NAMED).join(', ')} and ${rest} more` : names.join(' and ')
}
