import type { SessionId } from '../../contract/ids.ts'
import type { Decision } from '../../contract/inbox.ts'
import type { WhyUnblock } from '../../contract/why.ts'
import type { CallRow, Db, SessionRow } from '../../store/tables.ts'
import type { Core, ToolOutput, Tx } from '../base/index.ts'
import type { NewItem } from '../inbox/index.ts'
import type { Named, Sight, Waiting } from './words.ts'

/** All that is particular to one kind of wait. Every kind has its own file and its line in `kinds.ts`. */
export interface Wait {
  /** How a person ends the wait; set when it waits for a person. */
  readonly person?: Person
  /** Whether this call waits for them; where it is decided already, it goes on by itself. Yes, unless it is said. */
  asks?(call: CallRow): boolean
  /** Whether the turn's time limit stands still meanwhile. */
  readonly stopsClock: boolean
  /** Whose message ends the wait early. */
  readonly endedBy: 'nobody' | 'person' | 'anyone'
  /** The result once the wait is over. Asked when the call parks, and by whoever changes what it waits for. */
  look?(tx: Tx, call: CallRow): Promise<ToolOutput | undefined>
  /** The result when the time is up; absent for a kind without a time limit. */
  atLimit?(tx: Tx, call: CallRow): Promise<ToolOutput>
  /** What the inbox item of the call is then; expired, unless it is said. */
  lapsesAs?(call: CallRow): 'answered' | 'expired'
  /** The result when a message or a person ends the wait early. */
  endedEarly(db: Db, call: CallRow, how: Early): Promise<ToolOutput>
  /**
   * The call is given up. When it was interrupted, what it began goes on and reports by mail; when it was canceled, that
   * ends too. Every kind is asked about every call, because a call may be stopped before it parks.
   */
  detach?(tx: Tx, session: SessionRow, call: CallRow, how: 'interrupted' | 'canceled'): Promise<void>
  /** The sessions whose work the call waits for. */
  behind?(db: Db, call: CallRow): Promise<SessionId[]>
  /** What `why` says of the wait. */
  why(sight: Sight, call: CallRow, waiter: Waiter): Promise<Waiting>
}

/** How a person ends a wait: by words, or by a decision. */
export interface Person {
  readonly wanted: 'your answer' | 'your decision'
  /** The inbox item that stands there meanwhile. */
  item(core: Core, tx: Tx, session: SessionRow, call: CallRow): Promise<Omit<NewItem, 'id' | 'callId'>>
  /** The commands that a person can type. */
  commands(inboxId: string): WhyUnblock[]
  /** `by` names the agent that answers in the person's place. */
  answer?(core: Core, tx: Tx, session: SessionRow, call: CallRow, words: string, by?: string): Promise<void>
  decide?(core: Core, tx: Tx, session: SessionRow, call: CallRow, given: Given): Promise<void>
}

export interface Given {
  readonly decision: Decision
  readonly reason?: string | undefined
}

/** Why waits end early. */
export interface Early {
  readonly said: string
  /** Whoever stops them with a message, and the message. */
  readonly by?: { readonly who: string; readonly words: string }
  readonly canceled?: boolean
}

/** Who waits, and until when. */
export interface Waiter {
  /** The session that waits. */
  readonly owner: Named
  /** When the wait ends at the latest, by its own limit or by its task's. */
  readonly until: number | undefined
}
