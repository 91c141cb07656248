import { MAILBOX_LIMIT } from '../../contract/mail.ts'
import { callsOf, type Message, textOf } from '../../contract/messages.ts'
import { newId } from '../../lib/ids.ts'
import { openCalls } from '../../store/calls.ts'
import { hasWaitingMail, selectWaitingMail } from '../../store/mail.ts'
import type { NewMessage } from '../../store/messages.ts'
import type { CallRow, SessionRow, TurnRow } from '../../store/tables.ts'
import { insertTurn, updateTurn } from '../../store/turns.ts'
import { aboutSession, asRunner, type Park, type ToolOutput, type Tx } from '../base/index.ts'
import { takeMail } from '../mail/index.ts'
import type { Verdict } from '../permissions/index.ts'
import { appendMessages, remember } from '../sessions/index.ts'
import { settleAnswer, settleRequest, type Used, unpricedReason } from '../spending/index.ts'
import { taskEnds, taskWaits, wantsSummary } from '../tasks/index.ts'
import { answerAsks, asksPerson, endedByMail, endWaits, stopsClock } from '../waits/index.ts'
import { abandonCalls, addCalls, startBatch, writeOutcomes } from './call-rows.ts'
import { tellChanges } from './changes.ts'
import { remindOfTask } from './drift.ts'
import { close, endTurn, release, stoppedBy } from './end.ts'
import { REMIND_AT, STOP_AT } from './stall.ts'
import type { Turn } from './turn.ts'

/** What the last model call or the last batch of tools brought; all of it is written by the next `advance`. */
export interface Made {
  readonly answer?: NewMessage
  /** One for each call of the answer, in order. */
  readonly verdicts?: readonly Verdict[]
  readonly outcomes?: readonly Outcome[]
  readonly failure?: { readonly reason: string; readonly end?: 'limit' }
  /** What the last request used; those before it are written down already. */
  readonly used?: Used
}

export type Outcome =
  | { readonly call: CallRow; readonly result: ToolOutput; readonly final: boolean; readonly durationMs: number }
  | { readonly call: CallRow; readonly park: Park }

type Write = (messages: readonly NewMessage[]) => Promise<void>

/** What this safe point has appended so far, and the way to append more. */
interface Log {
  readonly write: Write
  readonly appended: readonly Message[]
}

export type Next =
  | { readonly do: 'model'; readonly turnId: string; readonly iteration: number; readonly deadline: number }
  | { readonly do: 'calls'; readonly calls: readonly CallRow[]; readonly deadline: number }
  | { readonly do: 'leave' }

/**
 * The safe point, one transaction: write what was made, obey what a person asked, take mail, and decide what comes next:
 * the model, a batch of calls, or leaving (waiting, paused or ended).
 */
export async function advance(turn: Turn, made: Made): Promise<Next> {
  const appended: Message[] = []
  let obeyed = false
  const next = await asRunner(turn.core, turn.lease, 'turn.step', async (tx, session): Promise<Next> => {
    appended.length = 0
    const begins = turn.row === undefined
    const row = await currentTurn(turn, tx, session)
    if (row === undefined) return rest(tx, session)
    const write: Write = async (messages) => {
      appended.push(...(await appendMessages(tx, session, messages)))
    }
    await writeMade(turn, tx, session, row, made, write)
    const repeated = turn.repeats.observe(appended)
    const aborted = turn.stop.signal.aborted ? String(turn.stop.signal.reason) : undefined
    obeyed = session.signal !== null

    if (session.signal === 'cancel' || session.signal === 'close') {
      // Canceled before it began: what it was asked is in the log, and does not begin it again.
      if (row.iterations === 0) await write(await takeMail(tx, session, row, 'queued', Number.POSITIVE_INFINITY))
      await abandonCalls(tx, session, row, 'canceled', write)
      const end = session.signal === 'close' ? 'closed' : 'canceled'
      return endTurn(tx, session, row, end, stoppedBy(session, end))
    }
    if (session.signal === 'interrupt') {
      await abandonCalls(tx, session, row, 'interrupted', write)
      session.signal = null
    }
    if (aborted === 'time limit') {
      await abandonCalls(tx, session, row, 'out of time', write)
      return endTurn(tx, session, row, 'limit', limitReason('time', turn))
    }
    const open = await openCalls(tx.db, session.id)
    if (session.signal === 'pause') return pause(tx, session, row)
    const now = (calls: readonly CallRow[]): Next => ({ do: 'calls', calls, deadline: deadlineOf(turn, row) })
    const batch = await startBatch(turn, tx, session, open)
    // What the answer used is known from here on, whatever becomes of its calls.
    if (batch.length > 0 && made.used !== undefined) await updateTurn(tx.db, row)
    if (batch.length > 0) return now(batch)
    if (open.length > 0 && (await endedByQueued(turn, tx, session, open)))
      return now(await startBatch(turn, tx, session, await openCalls(tx.db, session.id)))
    if (open.length > 0) return wait(tx, session, row, open)
    if (made.failure !== undefined) return endTurn(tx, session, row, made.failure.end ?? 'error', made.failure.reason)
    if (repeated >= STOP_AT) {
      return endTurn(
        tx,
        session,
        row,
        'stalled',
        `The same call with the same result was made ${STOP_AT} times; the turn was stopped.`,
      )
    }

    await write(await takeMail(tx, session, row, 'queued', turn.window))
    if (repeated >= REMIND_AT) await write([reminder(row.id)])
    // A turn that begins with nothing new was started by mail that the one before, which failed, did not release.
    const unreleased = begins && appended.length === 0
    if (unreleased || !wantsModel(turn, appended)) await write(await takeMail(tx, session, row, 'held', turn.window))
    if (!wantsModel(turn, appended) && session.task_id !== null) {
      const wanted = await wantsSummary(tx, session, row.id)
      if (wanted) await write([wanted])
    }
    if (!wantsModel(turn, appended)) return endTurn(tx, session, row, 'done', 'The agent had nothing left to do.')
    return callNext(turn, tx, session, row, { write, appended })
  })
  remember(turn.history, appended)
  // Also when nothing was aborted: whoever read the signal before it was dealt with must not stop what comes now.
  if ((obeyed || turn.stop.signal.aborted) && !turn.lease.signal.aborted) turn.stop = new AbortController()
  return next
}

/** A result that came while others of its batch still run. */
export async function record(turn: Turn, outcomes: readonly Outcome[]): Promise<void> {
  const appended = await asRunner(turn.core, turn.lease, 'turn.result', async (tx, session) =>
    appendMessages(tx, session, await writeOutcomes(turn, tx, session, outcomes)),
  )
  remember(turn.history, appended)
  turn.repeats.observe(appended)
}

/** The open turn, or a new one when there is something to do: mail, or a person's word to go on. */
async function currentTurn(turn: Turn, tx: Tx, session: SessionRow): Promise<TurnRow | undefined> {
  if (turn.row === undefined) {
    if (session.signal === 'pause' || session.signal === 'close') return undefined
    if (session.signal !== 'resume' && !(await hasWaitingMail(tx.db, session.id))) return undefined
    turn.row = await openRow(tx, session)
    return turn.row
  }
  if (turn.row.waiting_since !== null) {
    turn.row.waited_ms += tx.now - turn.row.waiting_since
    turn.row.waiting_since = null
  }
  session.status = 'running'
  session.reason = null
  if (session.signal === 'resume') session.signal = null
  return turn.row
}

/** No turn is open and none begins: there is nothing to do, or a person stopped it before it began. */
async function rest(tx: Tx, session: SessionRow): Promise<Next> {
  const { signal } = session
  session.signal = null
  if (signal === 'close' || signal === 'cancel') {
    await taskEnds(tx, session, 'canceled', 'Canceled before it began.')
    if (session.status === 'closed') return release(session, 'closed')
  }
  if (signal === 'close') return close(tx, session)
  if (signal === 'pause') session.reason = PAUSED
  // It took a slot for nothing: what it waits for has not come.
  if (session.task_id !== null)
    await taskWaits(tx, session, session.reason ?? 'There was nothing to do yet.', { person: signal === 'pause' })
  return release(session, signal === 'pause' ? 'paused' : 'idle')
}

export async function openRow(tx: Tx, session: SessionRow): Promise<TurnRow> {
  const row = await insertTurn(tx.db, newId('turn'), session.id, tx.now)
  session.turn_id = row.id
  session.stopped_by = null
  session.status = 'running'
  session.reason = null
  if (session.signal === 'resume') session.signal = null
  tx.record('turn.started', aboutSession(session), { turnId: row.id, attempt: session.attempts })
  return row
}

async function writeMade(
  turn: Turn,
  tx: Tx,
  session: SessionRow,
  row: TurnRow,
  made: Made,
  write: Write,
): Promise<void> {
  if (made.answer !== undefined) {
    if (made.used) await settleAnswer(tx, session, row, made.used)
    const seq = session.next_seq
    await write([made.answer])
    const calls = callsOf(made.answer.parts)
    const text = textOf(made.answer.parts)
    if (calls.length === 0 && text.trim() !== '' && !made.answer.interrupted) await answerAsks(tx, session, row, text)
    if (calls.length > 0)
      await write(await addCalls(turn, tx, session, { turnId: row.id, seq, calls, verdicts: made.verdicts ?? [] }))
  } else if (made.used) {
    await settleRequest(tx, session, row, { ...made.used, outcome: made.failure ? 'failed' : 'aborted' })
  }
  await write(await writeOutcomes(turn, tx, session, made.outcomes ?? []))
}

/** An answer is owed when the newest message is not the agent's own. */
function wantsModel(turn: Turn, appended: readonly Message[]): boolean {
  const newest = appended.at(-1) ?? turn.history.messages.findLast((message) => message.deletedAt === undefined)
  return newest !== undefined && newest.role !== 'assistant'
}

async function callNext(turn: Turn, tx: Tx, session: SessionRow, row: TurnRow, log: Log): Promise<Next> {
  const { setup } = turn
  if ('problem' in setup) return endTurn(tx, session, row, 'error', setup.problem)
  const deadline = deadlineOf(turn, row)
  if (row.iterations >= setup.maxIterations) return endTurn(tx, session, row, 'limit', limitReason('iterations', turn))
  if (tx.now >= deadline) return endTurn(tx, session, row, 'limit', limitReason('time', turn))
  if (setup.maxCostUsd !== undefined && row.total_cost_usd >= setup.maxCostUsd) {
    return endTurn(tx, session, row, 'limit', limitReason('cost', turn))
  }
  if (setup.maxCostUsd !== undefined && row.unpriced_tokens > 0) {
    return endTurn(tx, session, row, 'limit', unpricedReason(setup.maxCostUsd, row.unpriced_tokens))
  }
  await log.write(await tellChanges(tx, session, row.id, setup.changes))
  await log.write(await remindOfTask(tx, session, row, [turn.history.messages, log.appended], setup.maxIterations))
  row.iterations += 1
  await updateTurn(tx.db, row)
  tx.record('model.called', aboutSession(session), { turnId: row.id, model: setup.model, iteration: row.iterations })
  return { do: 'model', turnId: row.id, iteration: row.iterations, deadline }
}

const deadlineOf = ({ setup }: Turn, row: TurnRow): number =>
  'problem' in setup
    ? Number.POSITIVE_INFINITY
    : row.started_at + row.waited_ms + setup.maxDurationMs - (setup.workedMs ?? 0)

function limitReason(limit: 'iterations' | 'time' | 'cost', turn: Turn): string {
  if ('problem' in turn.setup) return turn.setup.problem
  const { maxIterations, maxDurationMs, workedMs, maxCostUsd } = turn.setup
  const reached = {
    iterations: `${maxIterations} model calls in one turn (limits.maxIterations)`,
    time: `${maxDurationMs / 1000} s of work in ${workedMs === undefined ? 'one turn' : 'all its turns'} (limits.maxDurationSeconds)`,
    cost: `${maxCostUsd} USD in one turn (limits.maxCostUsd)`,
  }[limit]
  return `Stopped at the limit of ${reached}. Send a message to go on, or raise the limit.`
}

/** Mail that came just before a call parked ends the wait as it would have done just after. */
async function endedByQueued(turn: Turn, tx: Tx, session: SessionRow, open: readonly CallRow[]): Promise<boolean> {
  const queued = await selectWaitingMail(tx.db, session.id, ['queued'], MAILBOX_LIMIT)
  if (!queued.some(({ from_kind }) => endedByMail(open, from_kind))) return false
  await endWaits(turn.core, tx, session)
  return true
}

/** Every call of the step that is left waits for something outside; the lease is given back meanwhile. */
async function wait(tx: Tx, session: SessionRow, row: TurnRow, open: readonly CallRow[]): Promise<Next> {
  const parked = open.filter((call) => call.state === 'parked')
  if (stopsClock(parked)) row.waiting_since = tx.now
  await updateTurn(tx.db, row)
  const what = parked.map((call) => `${call.name} (${call.kind})`).join(', ')
  session.reason = `Waiting for ${what}.`
  if (session.task_id !== null) await taskWaits(tx, session, session.reason, { person: parked.some(asksPerson) })
  return release(session, 'waiting')
}

async function pause(tx: Tx, session: SessionRow, row: TurnRow): Promise<Next> {
  row.waiting_since = tx.now
  await updateTurn(tx.db, row)
  session.signal = null
  session.reason = PAUSED
  if (session.task_id !== null) await taskWaits(tx, session, PAUSED, { person: true })
  return release(session, 'paused')
}

const PAUSED = 'Paused by a person.'

const reminder = (turnId: string): NewMessage => ({
  role: 'system',
  from: { kind: 'system' },
  turnId,
  parts: [
    {
      type: 'text',
      text: `You have made the same call ${REMIND_AT} times or more with the same result. Do something else, or say what blocks you; at ${STOP_AT} times the turn is stopped.`,
    },
  ],
})
