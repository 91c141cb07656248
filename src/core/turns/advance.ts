import { callsOf, type Message, textOf } from '../../contract/messages.ts'
import { openCalls } from '../../store/calls.ts'
import type { SessionRow, TurnRow } from '../../store/tables.ts'
import { updateTurn } from '../../store/turns.ts'
import { aboutSession, type Tx } from '../base/index.ts'
import { askPrice } from '../budgets/index.ts'
import { type NoteOn, takeMail, takeNews } from '../mail/index.ts'
import { appendMessages, lower, markHooks, remember } from '../sessions/index.ts'
import { settleAnswer, settleRequest } from '../spending/index.ts'
import { wantsSummary } from '../tasks/index.ts'
import { answerAsks } from '../waits/index.ts'
import { COMPACTS, currentTurn, endedByQueued, pause, stayAtRest, wait } from './at-rest.ts'
import { abandonCalls, addCalls, type CallOutcome, nextBatch, startBatch, writeOutcomes } from './call-rows.ts'
import { tellChanges } from './changes.ts'
import { compactionDue, refusedStop } from './compaction/due.ts'
import { askToGoOn, cutReason, goesOn, wholeAnswer } from './cut.ts'
import { remindOfTask } from './drift.ts'
import { endTurn, layDown, stoppedBy } from './end.ts'
import { isUnheard, waitForHooks, writeHeard } from './hooked.ts'
import { eventsOf, writeStart } from './hooked-start.ts'
import { deadlineOf, limitReached, outOfTime } from './limits.ts'
import { moneyAtSafePoint } from './money.ts'
import { endIfPublished, publishAtLimit, publishBeforeEnd } from './published.ts'
import type { CompactNow, Made, Next, SafePoint } from './safe-point.ts'
import { noteOnSkill } from './skills.ts'
import { REMIND_AT, reminder, STOP_AT } from './stall.ts'
import { titleBeforeEnd } from './title.ts'
import { asTurn, type Turn } from './turn.ts'
import { tellUnshut } from './unshut.ts'

/**
 * The safe point, one transaction: write what was made, obey what a person asked, go on with open calls, take mail, and
 * call the model or end the turn.
 */
export async function advance(turn: Turn, made: Made): Promise<Next> {
  const appended: Message[] = []
  let obeyed = false
  const next = await asTurn(turn, 'turn.step', async (tx, session): Promise<Next> => {
    appended.length = 0
    const begins = turn.row === undefined
    const row = await currentTurn(tx, session, turn.row)
    turn.row = row
    if (row === undefined) return stayAtRest(tx, session)
    obeyed = session.signal !== null
    const interrupted = session.signal === 'interrupt'
    const write: SafePoint['write'] = async (messages) => {
      appended.push(...(await appendMessages(tx, session, messages)))
    }
    markHooks(session, eventsOf(turn), made.start !== undefined)
    const point = { turn, tx, session, row, made, begins, appended, write }

    await writeMade(point)
    const repeated = turn.repeats.observe(appended)
    const decided =
      (await endIfPublished(point)) ??
      (await obey(point)) ??
      (await goOnWithCalls(point)) ??
      (await stopIfStuck(point, repeated))
    if (decided !== undefined) return decided
    // Who interrupts a compaction is heard before it goes on.
    const heard = interrupted && (await takeInput(point, repeated))
    if (session.compact_focus !== null && !heard) return compactNow(point, 'asked', session.compact_focus)
    const owed = heard || (await takeInput(point, repeated))
    const unpublished = owed ? undefined : await publishBeforeEnd(point)
    if (owed || unpublished === 'remind') return callNext(point)
    return (
      unpublished ??
      (await titleBeforeEnd(point)) ??
      endTurn(tx, session, row, 'done', 'The agent had nothing left to do.')
    )
  })
  remember(turn.history, appended)
  // Whoever read the signal before it was obeyed may still abort the old controller. A new one keeps that from stopping what comes now.
  if ((obeyed || turn.stop.signal.aborted) && !turn.lease.signal.aborted) turn.stop = new AbortController()
  return next
}

/** Writes a result that came while other calls of its batch still run. */
export async function record(turn: Turn, outcomes: readonly CallOutcome[]): Promise<void> {
  const appended = await asTurn(turn, 'turn.result', async (tx, session) =>
    appendMessages(tx, session, await writeOutcomes(turn, tx, session, outcomes)),
  )
  remember(turn.history, appended)
  turn.repeats.observe(appended)
}

async function writeMade({ turn, tx, session, row, made, appended, write }: SafePoint): Promise<void> {
  if (made.start) await write(await writeStart(turn, tx, session, row, made.start))
  if (made.answer !== undefined) {
    if (made.used) await settleAnswer(tx, session, row, made.used)
    const seq = session.next_seq
    await write([made.answer])
    const calls = callsOf(made.answer.parts)
    const { interrupted, cut } = made.answer
    const says = calls.length === 0 && textOf(made.answer.parts).trim() !== ''
    if (says && !interrupted && !cut) await answerAsks(tx, session, row, wholeAnswer(turn, appended))
    if (made.cut && goesOn(made.cut)) await write([askToGoOn(row.id, made.cut)])
    if (made.unshut !== undefined) await tellUnshut(tx, session, made.unshut)
    if (calls.length > 0)
      await write(await addCalls(turn, tx, session, { turnId: row.id, seq, calls, verdicts: made.verdicts ?? [] }))
  } else if (made.used) {
    await settleRequest(tx, session, row, { ...made.used, outcome: made.failure ? 'failed' : 'aborted' })
  }
  if (made.heard) await write(await writeHeard(turn, tx, session, made.heard))
  await write(await writeOutcomes(turn, tx, session, made.outcomes ?? []))
}

/** Does what a person asked, and ends the turn when its time is up. After an interrupt the turn goes on. */
async function obey(point: SafePoint): Promise<Next | undefined> {
  const { turn, tx, session, row, write } = point
  const { signal } = session
  const stopped = await obeyStop(tx, session, row, write)
  if (stopped !== undefined) return stopped
  if (signal === 'interrupt') {
    await abandonCalls(tx, session, row, 'interrupted', write)
    lower(session)
  }
  if (turn.stop.signal.reason === 'time limit') {
    await abandonCalls(tx, session, row, 'out of time', write)
    return stopAt(point, outOfTime(turn.setup, turn.waitsFor))
  }
  return signal === 'pause' ? pause(tx, session, row) : undefined
}

/** Ends the turn if somebody canceled it or closed the session. */
export async function obeyStop(
  tx: Tx,
  session: SessionRow,
  row: TurnRow,
  write: SafePoint['write'],
): Promise<Next | undefined> {
  const { signal } = session
  if (signal !== 'cancel' && signal !== 'close') return undefined
  // A turn that is canceled before its first model call still takes its mail, which would otherwise begin it again.
  if (row.iterations === 0) await write(await takeMail(tx, session, row, 'queued', Number.POSITIVE_INFINITY))
  await abandonCalls(tx, session, row, 'canceled', write)
  session.compact_focus = null
  const end = signal === 'close' ? 'closed' : 'canceled'
  return endTurn(tx, session, row, end, stoppedBy(session, end))
}

/** Starts the calls that may run now; when all that are left wait for something, the turn waits with them. */
async function goOnWithCalls(point: SafePoint): Promise<Next | undefined> {
  const { turn, tx, session, row, made } = point
  const open = await openCalls(tx.db, session.id)
  if (open.length === 0) return undefined
  const batch = nextBatch(turn, open)
  if (batch.length === 0 && (await endedByQueued(turn, tx, session, open))) return goOnWithCalls(point)
  if (batch.length === 0) return wait(turn.core, tx, session, row, open)
  // The row keeps what the answer used, whatever becomes of its calls.
  if (made.used !== undefined) await updateTurn(tx.db, row)
  const deadline = deadlineOf(turn.setup, row)
  const unheard = batch.filter((call) => call.state === 'ready' && isUnheard(turn, call))
  if (unheard.length > 0) {
    await waitForHooks(turn, tx, unheard)
    return { do: 'hooks', calls: unheard, deadline }
  }
  await startBatch(turn, tx, session, batch)
  return { do: 'calls', calls: batch, deadline }
}

/** Ends the turn when the model failed, or makes the same call over and over. A prompt that was too long is compacted first. */
async function stopIfStuck(point: SafePoint, repeated: number): Promise<Next | undefined> {
  const { turn, tx, session, row, made } = point
  if (made.failure?.tooLong) {
    const stop = refusedStop(turn, made.failure.reason)
    if (stop === undefined) return compactNow(point, 'refused')
    return (await publishAtLimit(point, stop)) ?? endTurn(tx, session, row, 'error', stop)
  }
  if (made.failure?.unpriced !== undefined && turn.setup.unattended(row.chain_id) === 'wait')
    await askPrice(tx, session, made.failure.unpriced, made.failure.reason)
  if (made.failure !== undefined) return endTurn(tx, session, row, made.failure.end ?? 'error', made.failure.reason)
  if (made.cut && !goesOn(made.cut)) return endTurn(tx, session, row, 'limit', cutReason(made.cut))
  if (repeated < STOP_AT) return undefined
  const reason = `The same call with the same result was made ${STOP_AT} times; the turn was stopped.`
  return endTurn(tx, session, row, 'stalled', reason)
}

/** Takes what is new; if no answer is owed then, held mail, else what the task still wants. Returns whether an answer is owed. */
async function takeInput(point: SafePoint, repeated: number): Promise<boolean> {
  const { turn, tx, session, row, made, write } = point
  const noteOn: NoteOn = (mail) => noteOnSkill(turn, session, mail)
  if (!made.compacted) await write(await takeNews(tx, session, row, point.begins, turn.window, noteOn))
  if (repeated >= REMIND_AT) await write([reminder(row.id)])
  const owed = row.cause !== COMPACTS && owesAnswer(point)
  const held = owed ? [] : await takeMail(tx, session, row, 'held', turn.window, noteOn)
  const wanted = owed || held.length > 0 ? [] : await wantsSummary(tx, session, row.id)
  await write([...held, ...wanted])
  return owed || held.length > 0 || wanted.length > 0
}

/** An answer is owed when the newest message is not the agent's own. */
function owesAnswer({ turn, appended }: SafePoint): boolean {
  const newest = appended.at(-1) ?? turn.history.messages.findLast((message) => message.deletedAt === undefined)
  return newest !== undefined && newest.role !== 'assistant'
}

async function callNext(point: SafePoint): Promise<Next> {
  const { turn, tx, session, row, made, appended, write } = point
  const { setup, lease } = turn
  const limit = limitReached(setup, row, tx.now)
  if (limit !== undefined) return stopAt(point, limit)
  if (lease.alone && (made.answer ?? made.outcomes) !== undefined) return layDown(tx, session, row)
  const due = compactionDue(turn, appended)
  if (due === 'due') return compactNow(point, 'window')
  if (due !== undefined) return stopAt(point, due.stop)
  await write(await tellChanges(tx, session, row.id, setup.changes))
  await write(await remindOfTask(tx, session, row, [turn.history.messages, appended], setup.maxIterations))
  const iteration = row.iterations + 1
  const money = await moneyAtSafePoint(turn, tx, { session, row, appended }, iteration)
  if ('do' in money) return money
  row.iterations = iteration
  await updateTurn(tx.db, row)
  tx.record('model.called', aboutSession(session), { turnId: row.id, model: setup.model, iteration: row.iterations })
  return { do: 'model', turnId: row.id, iteration, paid: money.paid, deadline: deadlineOf(turn.setup, row) }
}

/** The turn may not go on. What the worker of a node has by then is handed over. */
const stopAt = async (point: SafePoint, reason: string): Promise<Next> =>
  (await publishAtLimit(point, reason)) ?? endTurn(point.tx, point.session, point.row, 'limit', reason)

async function compactNow({ turn, tx, row }: SafePoint, why: CompactNow['why'], focus = ''): Promise<Next> {
  await updateTurn(tx.db, row)
  return { do: 'compact', why, focus, turnId: row.id, deadline: deadlineOf(turn.setup, row) }
}
