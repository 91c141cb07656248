import type { Event } from '../../contract/events.ts'
import type { SessionId } from '../../contract/ids.ts'
import type { From } from '../../contract/messages.ts'
import type { TriggerAction } from '../../contract/triggers.ts'
import type { SessionRow, TriggerRow } from '../../store/tables.ts'
import type { Chain, Core, Project, Tx } from '../base/index.ts'

/** One occurrence that is about to be acted on. */
export interface Firing {
  readonly row: TriggerRow
  readonly project: Project
  readonly id: string
  /** What the occurrence is, in one word; it has one outcome. */
  readonly occasion: string
  readonly due: number
  readonly event?: Event | undefined
  readonly chain: Chain
  readonly from: From
}

/** What an occurrence came to: an act, or the reason why there was none. */
export type Done = Acted | Withheld

export interface Acted {
  /** What people and scripts find in the ledger: the mail, the task. */
  readonly result: Readonly<Record<string, unknown>>
  readonly sessionId?: SessionId
  /** The act itself comes later, by a timer of its own. */
  readonly delivery?: 'pending'
}

export interface Withheld {
  readonly skip: string
  /** Who is told beyond the ledger: nobody, whoever reads events, or the person too, which is usual. */
  readonly tells?: 'nobody' | 'record' | 'person'
}

/** An act that is ready: all that reads files is behind it. */
export interface PreparedAct {
  /** This session's row is locked for it, before the trigger's. */
  readonly sessionId?: SessionId
  run(tx: Tx, session?: SessionRow): Promise<Done>
}

/** Who makes a trigger: a person, or a session by a call of its own. */
export interface MadeBy {
  readonly project: Project
  readonly owner?: SessionId
}

/** All that is particular to one kind of action. Each has its line in `actions.ts`. */
export interface Action<A extends TriggerAction = TriggerAction> {
  /** Throws a sentence when it could not be done even now. */
  check(core: Core, by: MadeBy, action: A): Promise<void>
  /** Finds out how it is done now; throws a sentence when it cannot be done. */
  prepare(core: Core, firing: Firing, action: A): Promise<PreparedAct>
}
