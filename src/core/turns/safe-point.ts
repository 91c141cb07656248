import type { Message } from '../../contract/messages.ts'
import type { CompactionWhy } from '../../store/compaction-tables.ts'
import type { NewMessage } from '../../store/messages.ts'
import type { CallRow, SessionRow, TurnRow } from '../../store/tables.ts'
import type { Tx } from '../base/index.ts'
import type { HookRun } from '../hooks/index.ts'
import type { Verdict } from '../permissions/index.ts'
import type { Used } from '../spending/index.ts'
import type { CallOutcome } from './call-rows.ts'
import type { Cut } from './cut.ts'
import type { Heard } from './hooked.ts'
import type { ModelCall } from './money.ts'
import type { Turn } from './turn.ts'

/** What the last model call or the last batch of tools brought; all of it is written by the next `advance`. */
export interface Made {
  readonly answer?: NewMessage
  /** One for each call of the answer, in order. */
  readonly verdicts?: readonly Verdict[]
  /** A command is among the calls, and there is no sandbox for it: why. */
  readonly unshut?: string
  readonly outcomes?: readonly CallOutcome[]
  /** What the hooks before calls said. */
  readonly heard?: readonly Heard[]
  /** What the hooks of the session's start said. */
  readonly start?: readonly HookRun[]
  readonly failure?: {
    readonly reason: string
    readonly end?: 'limit'
    /** The model whose price nobody knows. */
    readonly unpriced?: string
    /** The vendor says that the prompt is too long. */
    readonly tooLong?: true
  }
  /** Mail waits until the request is made for which the history was to be compacted. */
  readonly compacted?: true
  /** The small model was asked for a title of the run: once is enough in one activation. */
  readonly titled?: true
  /** The answer has no end. */
  readonly cut?: Cut
  /** What the last request used; those before it are written down already. */
  readonly used?: Used
}

/** What the steps of one safe point work on, and the way to append to the log. */
export interface SafePoint {
  readonly turn: Turn
  readonly tx: Tx
  readonly session: SessionRow
  readonly row: TurnRow
  readonly made: Made
  /** The turn has only just begun. */
  readonly begins: boolean
  /** What was written to the log here so far. */
  readonly appended: readonly Message[]
  readonly write: (messages: readonly NewMessage[]) => Promise<void>
}

export type Next =
  | ({ readonly do: 'model'; readonly deadline: number } & ModelCall)
  | { readonly do: 'calls'; readonly calls: readonly CallRow[]; readonly deadline: number }
  | { readonly do: 'hooks'; readonly calls: readonly CallRow[]; readonly deadline: number }
  | CompactNow
  | PublishNow
  | { readonly do: 'title'; readonly deadline: number }
  | { readonly do: 'leave' }

/** The node of the session's worker is handed over. */
export interface PublishNow {
  readonly do: 'publish'
  /** Why it is not all that was wanted. */
  readonly partial: string | undefined
  readonly deadline: number
}

/** The history is compacted before the turn goes on. */
export interface CompactNow {
  readonly do: 'compact'
  readonly why: CompactionWhy
  /** What to keep above all. */
  readonly focus: string
  readonly turnId: string
  readonly deadline: number
}
