import { settleAsk } from '../../store/asks.ts'
import { waitsForOf } from '../../store/calls.ts'
import { findMail, findMailByClient } from '../../store/mail.ts'
import { findSession } from '../../store/sessions.ts'
import type { CallRow, Db, MailRow } from '../../store/tables.ts'
import { keyOf, type Park, type ToolOutput, type Tx } from '../base/index.ts'
import { answerOf, said, toolOutputOf } from './answers.ts'
import type { Wait, Waiter } from './wait.ts'
import { atLatest, endEarly, line, nameOfId, person, type Waiting, wakes } from './words.ts'

/** A question in another session's mailbox. */
interface SentQuestion {
  readonly mailId: string
  readonly until: number
  /** The session was made for it. */
  readonly created: boolean
}

export const parkForAsk = (sent: SentQuestion): Park => ({ park: 'ask', ...sent })

/** Waits for the answer of another session. It is part of the turn's time, and only a person's message ends it. */
export const ask: Wait = {
  stopsClock: false,
  endedBy: 'person',
  look: answered,
  async atLimit(tx, call) {
    const known = await answered(tx, call)
    if (known !== undefined) return known
    const question = await questionOf(tx.db, call)
    if (question === undefined) return { output: 'The question could not be read from the database.', error: true }
    await settleAsk(tx.db, question.id, ['open'], { ask_state: 'late' })
    const late = said(tx, question, 'timeout', 'No answer in time; if one comes later it arrives as a message.')
    return toolOutputOf(await answerOf(tx.db, question, asked(call).created ?? false, late))
  },
  endedEarly: async (_db, _call, { said }) => ({ output: said, error: true }),
  async detach(tx, session, call, how) {
    // A call that was stopped before it parked has sent its question already.
    const question = await sentBy(tx.db, session.project_id, call)
    if (question) await settleAsk(tx.db, question.id, ['open'], { ask_state: how === 'canceled' ? 'closed' : 'late' })
  },
  async behind(db, call) {
    const question = await questionOf(db, call)
    return question === undefined ? [] : [question.session_id]
  },
  async why(sight, call, { owner, until: due }) {
    const question = await questionOf(sight.db, call)
    if (question === undefined) return withoutQuestion(call, { owner, until: due })
    const target = await nameOfId(sight, question.session_id)
    const until = due ?? question.ask_until ?? undefined
    const read = question.state === 'taken' ? 'has read the question' : `has not read the question (${question.state})`
    const label = `${target.who} ${read}: ${line(sight, question.content)}`
    return {
      says: `for the answer of ${target.who}`,
      since: question.created_at,
      things: [{ kind: 'session', ref: question.session_id, label }],
      wakes: wakes('answer', `the answer of ${target.who}${atLatest(until)}`, until),
      unblock: [
        { who: target.who, does: 'answers' },
        person('answer in its place', `troupe answer ${question.id} "…"`),
        endEarly(owner),
      ],
      follows: [question.session_id],
    }
  },
}

async function answered(tx: Tx, call: CallRow): Promise<ToolOutput | undefined> {
  const question = await questionOf(tx.db, call)
  if (question?.ask_state !== 'answered') return undefined
  await settleAsk(tx.db, question.id, ['answered'], { ask_state: 'closed' })
  return toolOutputOf(await answerOf(tx.db, question, asked(call).created ?? false))
}

const asked = (call: CallRow): Partial<SentQuestion> => waitsForOf<SentQuestion>(call)

async function questionOf(db: Db, call: CallRow): Promise<MailRow | undefined> {
  const { mailId } = asked(call)
  if (mailId !== undefined) return findMail(db, mailId)
  // The row does not say it; the mail does.
  const session = await findSession(db, call.session_id)
  return session && sentBy(db, session.project_id, call)
}

/** The question that the call sent: it carries the call's key. */
const sentBy = (db: Db, projectId: string, call: CallRow): Promise<MailRow | undefined> =>
  findMailByClient(db, projectId, keyOf(call.id))

const withoutQuestion = (call: CallRow, { owner, until }: Waiter): Waiting => ({
  says: `for ${call.name}`,
  since: call.started_at ?? call.created_at,
  things: [{ kind: 'call', ref: call.id, label: call.name }],
  wakes: wakes('call', `its result${atLatest(until)}`, until),
  unblock: [person('end the turn', `troupe sessions cancel ${owner.ref}`)],
  follows: [],
})
