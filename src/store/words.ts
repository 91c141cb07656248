import { CallState, WaitKind } from '../contract/calls.ts'
import { InboxAction, InboxKind, InboxStatus } from '../contract/inbox.ts'
import { MailState, Outcome } from '../contract/mail.ts'
import { From, Role } from '../contract/messages.ts'
import {
  CheckpointPolicy,
  NodeStatus,
  RunLimit,
  RunMode,
  RunStatus,
  StageStatus,
  WorkerKind,
} from '../contract/runs.ts'
import { Mode, SessionStatus, Signal, Stopper, TurnEnd, Unattended } from '../contract/sessions.ts'
import { ReturnMode, TaskPriority, TaskStatus } from '../contract/tasks.ts'
import { CatchUp, Delivery, FireOutcome, TriggerMaker, TriggerStatus, TriggerType } from '../contract/triggers.ts'
import type { BudgetNeed } from './budget-tables.ts'
import type { CompactionRow, CompactionWhy } from './compaction-tables.ts'
import type { AskState, Tables } from './tables.ts'
import type { SubscriptionState } from './task-tables.ts'

/** The words that a column may hold, and the one that stands in for a word nobody knows. */
interface Words<W> {
  readonly known: readonly NonNullable<W>[]
  readonly standIn: W
}

/** The columns of a table whose type is a few words. */
type WordsIn<Row> = {
  readonly [C in keyof Row as NonNullable<Row[C]> extends string
    ? string extends NonNullable<Row[C]>
      ? never
      : C
    : never]: Words<Row[C]>
}
type AllWords = {
  readonly [T in keyof Tables as keyof WordsIn<Tables[T]> extends never ? never : T]: WordsIn<Tables[T]>
}

const compactionStates: Record<CompactionRow['state'], null> = { open: null, done: null, failed: null }
const compactionWhys: Record<CompactionWhy, null> = { asked: null, window: null, refused: null }
const askStates: Record<AskState, null> = { open: null, late: null, answered: null, closed: null }
const subscriptionStates: Record<SubscriptionState, null> = { open: null, told: null, failed: null, silent: null }
const budgetNeeds: Record<BudgetNeed, null> = { room: null, raise: null }
const fromKinds = From.shape.kind.options
const keysOf = <K extends string>(all: Record<K, null>): K[] => Object.keys(all) as K[]

/** Every such column. A stand-in never lets something run that might not have been meant to. */
const words: AllWords = {
  sessions: {
    mode: { known: Mode.options, standIn: 'chat' },
    status: { known: SessionStatus.options, standIn: 'error' },
    signal: { known: Signal.options, standIn: null },
    stopped_by: { known: Stopper.options, standIn: null },
    unattended: { known: Unattended.options, standIn: 'deny' },
  },
  messages: {
    role: { known: Role.options, standIn: 'user' },
    from_kind: { known: fromKinds, standIn: null },
  },
  mail: {
    from_kind: { known: fromKinds, standIn: 'system' },
    outcome: { known: Outcome.options, standIn: 'queued' },
    state: { known: MailState.options, standIn: 'undeliverable' },
    ask_state: { known: keysOf(askStates), standIn: null },
  },
  calls: {
    // Its result is then said to be lost, and the turn goes on.
    state: { known: CallState.options, standIn: 'resolved' },
    kind: { known: WaitKind.options, standIn: null },
  },
  turns: {
    ended_as: { known: TurnEnd.options, standIn: null },
    budget_needs: { known: keysOf(budgetNeeds), standIn: 'raise' },
  },
  inbox: {
    kind: { known: InboxKind.options, standIn: 'notice' },
    status: { known: InboxStatus.options, standIn: 'dismissed' },
    from_kind: { known: fromKinds, standIn: 'system' },
    action: { known: InboxAction.options, standIn: null },
  },
  tasks: {
    status: { known: TaskStatus.options, standIn: 'failed' },
    from_kind: { known: fromKinds, standIn: 'system' },
    return_mode: { known: ReturnMode.options, standIn: 'lastMessage' },
    priority: { known: TaskPriority.options, standIn: 'normal' },
  },
  // It is then on no board that goes on by itself.
  runs: {
    status: { known: RunStatus.options, standIn: 'stopped' },
    mode: { known: RunMode.options, standIn: 'finite' },
    asked_limit: { known: RunLimit.options, standIn: null },
  },
  nodes: { status: { known: NodeStatus.options, standIn: 'failed' } },
  workers: { kind: { known: WorkerKind.options, standIn: 'harnessed' } },
  stages: {
    status: { known: StageStatus.options, standIn: 'completed' },
    policy: { known: CheckpointPolicy.options, standIn: 'all' },
  },
  triggers: {
    type: { known: TriggerType.options, standIn: 'at_time' },
    status: { known: TriggerStatus.options, standIn: 'paused' },
    catch_up: { known: CatchUp.options, standIn: 'none' },
    made_by: { known: TriggerMaker.options, standIn: 'agent' },
  },
  trigger_fires: {
    outcome: { known: FireOutcome.options, standIn: 'skipped' },
    delivery: { known: Delivery.options, standIn: 'failed' },
  },
  deliveries: { state: { known: Delivery.options, standIn: 'failed' } },
  compactions: {
    // The history is then read from where an earlier one left it, or whole.
    state: { known: keysOf(compactionStates), standIn: 'failed' },
    why: { known: keysOf(compactionWhys), standIn: 'window' },
  },
  subscriptions: { state: { known: keysOf(subscriptionStates), standIn: 'failed' } },
}

/** By table and column. */
export type WordTable = Readonly<Record<string, Readonly<Record<string, Words<string | null>>>>>

export const wordTable: WordTable = words
