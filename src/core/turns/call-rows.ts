import type { ToolCallPart } from '../../contract/messages.ts'
import { shorten } from '../../lib/shorten.ts'
import { finishCalls, insertCalls, openCalls, startCalls, unstartCalls } from '../../store/calls.ts'
import type { NewMessage } from '../../store/messages.ts'
import type { CallRow, SessionRow, TurnRow } from '../../store/tables.ts'
import { deleteTimers } from '../../store/timers.ts'
import { aboutSession, type Park, type ToolOutput, type Tx } from '../base/index.ts'
import { type HookRun, recordRuns } from '../hooks/index.ts'
import { dismissInboxOf } from '../inbox/index.ts'
import type { Verdict } from '../permissions/index.ts'
import { appendMessages } from '../sessions/index.ts'
import { charge, chargeOf } from '../spending/index.ts'
import { detach, park, parkedRow, parkForApproval, resultOf } from '../waits/index.ts'
import { isUnheard, noteChange } from './hooked.ts'
import { NOT_ASKED } from './not-kept.ts'
import { loadTools } from './offered.ts'
import { logRefusal } from './refusals.ts'
import { resultMessage } from './result-message.ts'
import type { Turn } from './turn.ts'

export interface Settled {
  readonly call: CallRow
  readonly result: ToolOutput
  readonly durationMs: number
  /** The hooks that ran after it. */
  readonly runs?: readonly HookRun[]
}

export type CallOutcome =
  | Settled
  | { readonly call: CallRow; readonly park: Park }
  /** The next runner makes it. */
  | { readonly call: CallRow; readonly again: true }
  /** Its result is kept in its row, and the next runner hears the hooks behind it. */
  | { readonly call: CallRow; readonly kept: true }

interface Step {
  readonly turnId: string
  readonly seq: number
  readonly calls: readonly ToolCallPart[]
  readonly verdicts: readonly Verdict[]
}

/** The calls of one answer become rows: to be run, to be asked for, or refused at once with a result. */
export async function addCalls(turn: Turn, tx: Tx, session: SessionRow, step: Step): Promise<NewMessage[]> {
  const rows: CallRow[] = []
  const refusals: NewMessage[] = []
  for (const [position, call] of step.calls.entries()) {
    const row = callRow(tx, session, step, call, position)
    if (row.hidden) turn.inputs.set(row.id, call.input)
    const verdict = withoutWait(row, step.verdicts[position]!)
    if (verdict.verdict === 'refuse') {
      row.state = 'done'
      tx.after(() => logRefusal(turn, row.name, verdict.because))
      tx.record('tool.denied', aboutSession(session), {
        callId: row.id,
        name: row.name,
        reason: brief(tx, verdict.because),
      })
      refusals.push(resultMessage(row, { output: verdict.because, error: true }))
    }
    // Nobody is asked about a call before its hooks have said what becomes of it.
    const asks = verdict.verdict === 'ask' && !isUnheard(turn, row)
    rows.push(asks ? await parkedRow(turn.core, tx, session, row, parkForApproval(verdict)) : row)
  }
  await insertCalls(tx.db, rows)
  return refusals
}

/** A call whose input holds a secret cannot wait for a person, because the secret is not kept. */
const withoutWait = (row: CallRow, verdict: Verdict): Verdict =>
  verdict.verdict === 'ask' && row.hidden ? { verdict: 'refuse', because: NOT_ASKED } : verdict

/** The calls that may go on now: all that do not wait when the whole step may run side by side, else the first in order. */
export function nextBatch(turn: Turn, open: readonly CallRow[]): CallRow[] {
  const parallel = open.every((call) => isParallel(turn, call.name))
  return (parallel ? open : open.slice(0, 1)).filter((call) => call.state !== 'parked')
}

/** They are marked as started before they run, so that after a crash they are known to have been in flight. */
export async function startBatch(turn: Turn, tx: Tx, session: SessionRow, batch: readonly CallRow[]): Promise<void> {
  const fresh = batch.filter((call) => call.state === 'ready')
  await startCalls(
    tx.db,
    fresh.map(({ id }) => id),
    tx.now,
  )
  for (const call of fresh) {
    call.state = 'started'
    turn.begun.add(call.id)
    tx.record('tool.started', aboutSession(session), {
      callId: call.id,
      name: call.name,
      preview: shorten(call.input, 200),
    })
  }
}

/** Results become messages, parks become waiting rows, and what is made again may start again. */
export async function writeOutcomes(
  turn: Turn,
  tx: Tx,
  session: SessionRow,
  outcomes: readonly CallOutcome[],
): Promise<NewMessage[]> {
  const messages: NewMessage[] = []
  for (const outcome of outcomes) {
    if ('park' in outcome) {
      await park(turn.core, tx, session, outcome.call, outcome.park)
    } else if ('result' in outcome) {
      const { call, result, durationMs } = outcome
      await charge(tx, session, turn.row, chargeOf(result))
      messages.push(resultMessage(call, noteChange(call, result)))
      await recordRuns(turn.core, tx, session, outcome.runs ?? [], { callId: call.id })
      tx.record('tool.ended', aboutSession(session), {
        callId: call.id,
        name: call.name,
        durationMs,
        ok: result.error !== true,
        preview: brief(tx, typeof result.output === 'string' ? result.output : JSON.stringify(result.output ?? null)),
      })
    }
  }
  const idsOf = (kind: 'result' | 'again') => outcomes.filter((one) => kind in one).map(({ call }) => call.id)
  await finishCalls(tx.db, idsOf('result'), tx.now)
  await unstartCalls(tx.db, idsOf('again'))
  const loads = outcomes.flatMap((one) => ('result' in one ? (one.result.loads ?? []) : []))
  await loadTools(turn, tx, session, loads)
  return messages
}

/** Writes messages into the log for callers who do not need them back. */
export const writeTo =
  (tx: Tx, session: SessionRow) =>
  async (messages: readonly NewMessage[]): Promise<void> => {
    await appendMessages(tx, session, messages)
  }

/** Gives every open call a result and dismisses what waited in the inbox. */
export async function abandonCalls(
  tx: Tx,
  session: SessionRow,
  row: TurnRow | undefined,
  why: 'canceled' | 'interrupted' | 'out of time' | 'the node is published',
  write: (messages: readonly NewMessage[]) => Promise<void>,
): Promise<void> {
  const open = await openCalls(tx.db, session.id)
  if (open.length === 0) return
  const ids = open.map(({ id }) => id)
  await finishCalls(tx.db, ids, tx.now)
  await deleteTimers(tx.db, ids)
  await dismissInboxOf(tx, session, why)
  for (const call of open) {
    if (call.state !== 'resolved') await detach(tx, session, call, why === 'canceled' ? 'canceled' : 'interrupted')
    const output = abandoned(call, why)
    await charge(tx, session, row, chargeOf(output))
    tx.record('tool.ended', aboutSession(session), {
      callId: call.id,
      name: call.name,
      durationMs: 0,
      ok: false,
      preview: brief(tx, String(output.output)),
    })
    await write([resultMessage(call, output)])
  }
}

function abandoned(call: CallRow, why: string): ToolOutput {
  // An answer that was given before the interrupt is kept: it is a fact, not a wait.
  if (call.state === 'resolved') return resultOf(call)
  if (call.state === 'started') return { output: `${why}; outcome unknown; not repeated`, error: true }
  return { output: call.state === 'parked' ? why : `skipped: ${why}`, error: true }
}

function callRow(tx: Tx, session: SessionRow, step: Step, call: ToolCallPart, position: number): CallRow {
  const input = JSON.stringify(call.input ?? null)
  return {
    id: call.callId,
    session_id: session.id,
    turn_id: step.turnId,
    message_seq: step.seq,
    position,
    name: call.name,
    input,
    hidden: tx.mask(input) === input ? 0 : 1,
    vendor_call_id: call.vendorCallId,
    state: 'ready',
    kind: null,
    waits_for: null,
    inbox_id: null,
    hooked: null,
    approved: null,
    result: null,
    started_at: null,
    ended_at: null,
    created_at: tx.now,
  }
}

/** Masks the text before it is cut: the store could not recognise half a secret. */
const brief = (tx: Tx, text: string): string => shorten(tx.mask(text.slice(0, 5000)), 200)

const isParallel = (turn: Turn, name: string): boolean => turn.setup.judge.tools.get(name)?.parallel ?? true
