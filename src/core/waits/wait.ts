import type { SessionId } from '../../contract/ids.ts'
import type { Decision } from '../../contract/inbox.ts'
import type { WhyUnblock } from '../../contract/why.ts'
import type { CallRow, Db, SessionRow } from '../../store/tables.ts'
import type { Core, ToolOutput, Tx } from '../base/index.ts'
import type { NewItem } from '../inbox/index.ts'
import type { Named, Sight, Waiting } from './words.ts'

/** All that is particular to one kind of waiting. Every kind has its file, and its place in `kinds.ts`. */
export interface Wait {
  /** A person holds it up. */
  readonly person?: Person
  /** The time limit of the turn stands still meanwhile. */
  readonly stopsClock: boolean
  /** Whose message ends it early. */
  readonly endedBy: 'nobody' | 'person' | 'anyone'
  /** Its result, once it need wait no longer: asked when it parks, and by whoever changes what it waits for. */
  look?(tx: Tx, call: CallRow): Promise<ToolOutput | undefined>
  /** Its result when its time is up. One without a time limit has none. */
  atLimit?(tx: Tx, call: CallRow): Promise<ToolOutput>
  /** Its result when a message or a person ends it early. */
  endedEarly(db: Db, call: CallRow, how: Early): Promise<ToolOutput>
  /**
   * The call is given up: what it began goes on and comes by mail, or ends with it where all was canceled. Every kind is
   * asked about every call, also about one that was stopped before it parked.
   */
  detach?(tx: Tx, session: SessionRow, call: CallRow, how: 'interrupted' | 'canceled'): Promise<void>
  /** The sessions whose work it waits for. */
  behind?(db: Db, call: CallRow): Promise<SessionId[]>
  /** What `why` says of it. */
  why(sight: Sight, call: CallRow, waiter: Waiter): Promise<Waiting>
}

/** How a person ends a wait: by words, or by a decision. */
export interface Person {
  readonly wanted: 'your answer' | 'your decision'
  /** What stands in the inbox meanwhile. */
  item(core: Core, tx: Tx, session: SessionRow, call: CallRow): Promise<Omit<NewItem, 'id' | 'callId'>>
  /** What a person types. */
  commands(inboxId: string): WhyUnblock[]
  answer?(core: Core, tx: Tx, session: SessionRow, call: CallRow, words: string): Promise<void>
  decide?(core: Core, tx: Tx, session: SessionRow, call: CallRow, given: Given): Promise<void>
}

export interface Given {
  readonly decision: Decision
  readonly reason?: string | undefined
}

/** Why waits end early. */
export interface Early {
  readonly said: string
  /** For an approval in place of that. */
  readonly approvals?: string
  readonly canceled?: boolean
}

/** Who waits, and until when. */
export interface Waiter {
  /** The session that waits. */
  readonly owner: Named
  /** When it ends at the latest, by its own limit or by that of its task. */
  readonly until: number | undefined
}
