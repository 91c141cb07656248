import type { TurnId } from '../../contract/ids.ts'
import type { Tokens } from '../../contract/messages.ts'
import { insertRequest } from '../../store/cost.ts'
import type { RequestRow, SessionRow, SessionTimer, SubscriptionRow, TaskRow, TurnRow } from '../../store/tables.ts'
import { findSubscription, findTask, updateSubscription, updateTask } from '../../store/tasks.ts'
import { takeTimer } from '../../store/timers.ts'
import { updateTurn } from '../../store/turns.ts'
import { aboutSession, type Core, leaveErrand, onSession, type Tx } from '../base/index.ts'
import { settleReservation } from './reservations.ts'

/** What one request to a model used. Without `costUsd` the price is not known; it was not free. */
export interface Used {
  /** Stays the same when writing it is tried again. */
  readonly id: string
  readonly model: string
  readonly outcome: 'answered' | 'compaction' | 'title' | 'failed' | 'aborted'
  readonly tokens: Tokens
  readonly costUsd?: number | undefined
  /** Money may have been put aside for it. */
  readonly reserved?: boolean
  /** It never reached the vendor. */
  readonly unsent?: boolean
  /** It was ended before the answer was whole: nobody knows what the vendor charges. */
  readonly stopped?: boolean
}

/** What others spent on something that a session gets. */
export interface Charge {
  readonly costUsd: number
  readonly unpricedTokens: number
}

export function addUse(purse: SessionRow | TurnRow, { tokens, costUsd }: Pick<Used, 'tokens' | 'costUsd'>): void {
  purse.tokens_input += tokens.input
  purse.tokens_output += tokens.output
  purse.tokens_cached += tokens.cached
  purse.tokens_reasoning += tokens.reasoning
  purse.cost_usd += costUsd ?? 0
  purse.total_cost_usd += costUsd ?? 0
  if (costUsd === undefined) purse.unpriced_tokens += tokens.input + tokens.output
}

/** Records the request that brought an answer. The session's own use is added when the answer is appended. */
export async function settleAnswer(tx: Tx, session: SessionRow, turn: TurnRow, used: Used): Promise<void> {
  addUse(turn, used)
  await insertRequest(tx.db, requestRow(tx, session, turn.id, used))
  await settleMoney(tx, used)
}

/** Records a request that left no message, because it failed, was stopped, worked on a compaction or wrote a title: it is paid for all the same. */
export async function settleRequest(
  tx: Tx,
  session: SessionRow,
  turn: TurnRow | undefined,
  used: Used & { outcome: Exclude<Used['outcome'], 'answered'> },
): Promise<void> {
  const { model, outcome, tokens, costUsd } = used
  await settleMoney(tx, used)
  if (turn === undefined || (tokens.input + tokens.output === 0 && !costUsd)) return
  addUse(session, used)
  addUse(turn, used)
  await updateTurn(tx.db, turn)
  await insertRequest(tx.db, requestRow(tx, session, turn.id, used))
  tx.record('model.settled', aboutSession(session), {
    turnId: turn.id,
    model,
    outcome,
    tokens,
    ...(costUsd === undefined ? {} : { costUsd }),
  })
}

/** Of an answer that was stopped on its way all that was put aside counts: the vendor may have charged for it. */
async function settleMoney(tx: Tx, { id, reserved, tokens, costUsd, unsent, stopped }: Used): Promise<void> {
  if (!reserved) return
  const silent = tokens.input + tokens.output === 0
  const known = unsent || (silent && !stopped) ? (costUsd ?? 0) : costUsd
  await settleReservation(tx, id, stopped && !unsent ? undefined : known)
}

const requestRow = (tx: Tx, session: SessionRow, turnId: TurnId, used: Used): RequestRow => ({
  id: used.id,
  session_id: session.id,
  turn_id: turnId,
  node_id: session.node_id,
  model: used.model,
  outcome: used.outcome,
  at: tx.now,
  tokens_input: used.tokens.input,
  tokens_output: used.tokens.output,
  tokens_cached: used.tokens.cached,
  tokens_reasoning: used.tokens.reasoning,
  cost_usd: used.costUsd ?? null,
})

/** What others spent for the result of a call. */
export const chargeOf = ({ costUsd = 0, unpricedTokens = 0 }: Partial<Charge>): Charge => ({ costUsd, unpricedTokens })

/** Adds what children spent to the session that gave them the work, and to the turn that learns of it. */
export async function charge(
  tx: Tx,
  session: SessionRow,
  turn: TurnRow | undefined,
  { costUsd, unpricedTokens }: Charge,
): Promise<void> {
  if (costUsd === 0 && unpricedTokens === 0) return
  for (const purse of turn === undefined ? [session] : [session, turn]) {
    purse.total_cost_usd += costUsd
    purse.unpriced_tokens += unpricedTokens
  }
  if (turn) await updateTurn(tx.db, turn)
  tx.record('session.charged', aboutSession(session), {
    costUsd,
    unpricedTokens,
    ...(turn === undefined ? {} : { turnId: turn.id }),
  })
  await passOn(tx, session, { costUsd, unpricedTokens })
}

/** When the session's own task has ended, its maker was charged without this cost: an errand charges the rest. */
async function passOn(tx: Tx, session: SessionRow, { costUsd, unpricedTokens }: Charge): Promise<void> {
  const { task_id, parent_session_id } = session
  const task = task_id === null ? undefined : await findTask(tx.db, task_id)
  if (task === undefined || task.finished_at === null || parent_session_id === null) return
  await updateTask(tx.db, task.id, {
    total_cost_usd: task.total_cost_usd + costUsd,
    unpriced_tokens: task.unpriced_tokens + unpricedTokens,
  })
  await leaveErrand(tx, { kind: 'charge', ref: task.id, sessionId: parent_session_id })
}

/**
 * What a task cost since its subscriber was last charged; marks it as charged. Only the session whose child it is pays.
 * The subscriber's row must be locked.
 */
export async function collect(tx: Tx, subscription: SubscriptionRow, task: TaskRow): Promise<Charge> {
  if (task.parent_session_id !== subscription.session_id) return chargeOf({})
  const { total_cost_usd: charged_usd, unpriced_tokens: charged_tokens } = task
  await updateSubscription(tx.db, subscription, { charged_usd, charged_tokens })
  return {
    costUsd: charged_usd - subscription.charged_usd,
    unpricedTokens: charged_tokens - subscription.charged_tokens,
  }
}

/** A task came to cost more after its end was told, because its own children ended later. */
export async function chargeLater(core: Core, timer: SessionTimer): Promise<void> {
  await onSession(core, timer.session_id, 'task.charge', async (tx, session) => {
    if (!(await takeTimer(tx.db, timer))) return
    const subscription = await findSubscription(tx.db, timer.ref, session.id)
    const task = await findTask(tx.db, timer.ref)
    // A subscriber that is still to be told of the end is charged for all of it then.
    if (task === undefined || subscription === undefined || ['open', 'silent'].includes(subscription.state)) return
    await charge(tx, session, undefined, await collect(tx, subscription, task))
  })
}
