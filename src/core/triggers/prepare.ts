import { isProblem } from '../../contract/errors.ts'
import type { Event } from '../../contract/events.ts'
import type { From } from '../../contract/messages.ts'
import type { When } from '../../contract/triggers.ts'
import { newId } from '../../lib/ids.ts'
import { findSession } from '../../store/sessions.ts'
import type { TriggerRow } from '../../store/tables.ts'
import { actionIn } from '../../store/triggers.ts'
import type { Chain, Core, Project } from '../base/index.ts'
import { trustState } from '../config/index.ts'
import { newChainId } from '../mail/index.ts'
import type { Firing, PreparedAct, Withheld } from './action.ts'
import { prepareAction } from './actions.ts'
import { newsFor } from './gates.ts'
import type { Occurrence } from './ledger.ts'

/** What is needed to act on one occurrence, or the reason why nobody acts on it. */
export interface Ready {
  readonly act: PreparedAct | Withheld
  /** What a heartbeat saw when it looked, as JSON. */
  readonly seen?: string
}

interface Wanted {
  readonly row: TriggerRow
  readonly when: When
  readonly project: Project | undefined
  readonly one: Occurrence
  /** A person asked for it: what is new does not matter. */
  readonly asked?: boolean
}

/** The least time between two acts of a trigger that an agent made. */
export const AGENT_GAP_MS = 60_000

/** Everything that has to be read outside a transaction. Nothing is written but a session that has to be made. */
export async function readyFor(core: Core, { row, when, project, one, asked }: Wanted): Promise<Ready> {
  if (project === undefined) return withheld('The folder of its project is gone.')
  const against = await whyNot(core, row, project)
  if (against !== undefined) return withheld(against, row.made_by === 'agent' ? 'record' : 'person')
  const news = when.type === 'heartbeat' && !asked ? await newsFor(core, row, project, when.config.onlyIf) : undefined
  if (news && news.new === undefined) return { ...withheld('Nothing is new.', 'nobody'), seen: news.seen }
  const action = actionIn(row)
  if (action === undefined) return withheld('Its action cannot be read.')
  try {
    const firing: Firing = { row, project, ...one, from: await fromOf(core, row) }
    return { act: await prepareAction(core, firing, action), ...(news && { seen: news.seen }) }
  } catch (error) {
    if (!isProblem(error)) throw error
    return withheld(error.message)
  }
}

const withheld = (skip: string, tells: Withheld['tells'] = 'person'): Ready => ({ act: { skip, tells } })

async function whyNot(core: Core, row: TriggerRow, project: Project): Promise<string | undefined> {
  const { trusted, acting } = await trustState(core, project)
  if (!trusted && acting.length > 0) return 'The project is not trusted, so nothing acts in it: see "troupe trust".'
  if (row.made_by === 'human') return undefined
  const owner = row.owner_session_id === null ? undefined : await findSession(core.store.read, row.owner_session_id)
  if (owner === undefined || owner.deleted_at !== null) return 'The session that made it was deleted.'
  const since = row.last_at === null ? Number.POSITIVE_INFINITY : core.clock.now() - row.last_at
  if (since >= AGENT_GAP_MS) return undefined
  return `It acted less than ${AGENT_GAP_MS / 1000} s before, and was made by an agent.`
}

/** Mail says who set the trigger up: a person, or this agent. */
async function fromOf(core: Core, { owner_session_id: id }: TriggerRow): Promise<From> {
  const owner = id === null ? undefined : await findSession(core.store.read, id)
  return { kind: 'trigger', ...(owner && { agent: owner.agent, sessionId: owner.id }) }
}

/**
 * An agent's trigger goes on with its maker's chain, a person's begins a new one. What an event fires goes on with the
 * chain of whatever caused the event, so that triggers cannot feed each other for ever.
 */
const chainFor = (row: TriggerRow, cause?: Chain): Chain => {
  if (row.chain_id !== null) return { id: row.chain_id, hops: Math.max(row.hops, (cause?.hops ?? 0) + 1) }
  if (cause !== undefined) return { id: cause.id, hops: cause.hops + 1 }
  const action = actionIn(row)
  return { id: newChainId(action?.type === 'send' ? action.unattended : undefined), hops: 0 }
}

export const occurrenceOf = (
  row: TriggerRow,
  occasion: string,
  due: number,
  { event, cause }: { event?: Event; cause?: Chain | undefined } = {},
): Occurrence => ({ id: newId('fire'), occasion, due, chain: chainFor(row, cause), event })
