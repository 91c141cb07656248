import { Answer } from '../../contract/answers.ts'
import type { Spent } from '../../contract/cost.ts'
import type { AppError } from '../../contract/errors.ts'
import type { SessionId } from '../../contract/ids.ts'
import { MAIL_SHOWN } from '../../contract/mail.ts'
import { settleAsk, unansweredAsks } from '../../store/asks.ts'
import { selectCalls } from '../../store/calls.ts'
import { spentOf } from '../../store/cost.ts'
import { readJson } from '../../store/drivers/unreadable.ts'
import { selectMessages, toMessage } from '../../store/messages.ts'
import { findSession, handleOf } from '../../store/sessions.ts'
import type { AskState, CallRow, Db, MailRow, SessionRow, TurnRow } from '../../store/tables.ts'
import { leaveErrand, type ToolOutput, type Tx } from '../base/index.ts'

/** An answer without who was asked, which the mail of the question says. */
type Said = Omit<Answer, 'agent' | 'session' | 'created'>

/** The first text without tool calls answers every question that was read so far. */
export async function answerAsks(tx: Tx, session: SessionRow, row: TurnRow, text: string): Promise<void> {
  const asks = await readAsks(tx.db, session.id)
  if (asks.length === 0) return
  const toolCalls = await recentCalls(tx.db, row)
  for (const ask of asks) {
    await giveAnswer(tx, ask, said(tx, ask, 'complete', text, { ...spentOf(row), toolCalls }))
  }
}

/** The turn that read the questions ended without an answer. */
export async function failAsks(tx: Tx, session: SessionRow, row: TurnRow, reason: string): Promise<void> {
  for (const ask of await readAsks(tx.db, session.id))
    await giveAnswer(tx, ask, said(tx, ask, 'failed', reason, spentOf(row)))
}

/** Nobody will ever answer the questions put to this session. */
export async function failAllAsks(tx: Tx, session: SessionRow, reason: string): Promise<void> {
  for (const ask of await unansweredAsks(tx.db, session.id)) await giveAnswer(tx, ask, said(tx, ask, 'failed', reason))
}

/** Compare-and-set: the first answer counts. An errand tells whoever asked. */
export async function giveAnswer(tx: Tx, ask: MailRow, answer: Said): Promise<boolean> {
  const settle = (from: AskState[], ask_state: AskState) =>
    settleAsk(tx.db, ask.id, from, { ask_state, answer: JSON.stringify(answer) })
  if (ask.ask_call_id !== null) {
    if (!(await settle(['open', 'late'], 'answered'))) return false
  } else {
    // An asker who waits over HTTP reads the answer there and only there; one who no longer waits gets it as mail.
    if (await settle(['open'], 'answered')) return true
    if (!(await settle(['late'], 'closed'))) return false
  }
  await leaveErrand(tx, { kind: 'ask', ref: ask.id, sessionId: ask.from_session_id! })
  return true
}

export function said(
  tx: Pick<Tx, 'now' | 'mask'>,
  ask: Pick<MailRow, 'created_at'>,
  status: Answer['status'],
  text: string,
  more: Partial<Spent & Pick<Said, 'toolCalls'>> = {},
): Said {
  const masked = tx.mask(text)
  const truncated = masked.length > MAIL_SHOWN
  const response = truncated ? masked.slice(0, MAIL_SHOWN) : masked
  return { status, response, truncated, durationMs: tx.now - ask.created_at, toolCalls: [], ...more }
}

/** The answer to a question. When it cannot be read, it is only known that one came. */
export const answerIn = ({ id, answer }: MailRow): Said =>
  readJson({ table: 'mail', key: id, column: 'answer' }, answer ?? '', isSaid, {
    status: 'failed',
    response: 'The answer could not be read from the database.',
    truncated: false,
    durationMs: 0,
    toolCalls: [],
  })

const SaidSchema = Answer.omit({ agent: true, session: true, created: true })
const isSaid = (value: unknown): boolean => SaidSchema.safeParse(value).success

/** The answer as the asking agent gets it. */
export async function answerOf(db: Db, ask: MailRow, created: boolean, given?: Said): Promise<Answer> {
  const target = await findSession(db, ask.session_id)
  return {
    agent: target?.agent ?? '',
    session: await handleOf(db, ask.project_id, ask.session_id),
    created,
    ...(given ?? answerIn(ask)),
  }
}

/** The answer when nobody was asked. `agent` and `session` are empty when the address found nobody. */
export async function refusal(db: Db, error: AppError, id: SessionId | undefined, created = false): Promise<Answer> {
  const target = id === undefined ? undefined : await findSession(db, id)
  return {
    status: 'refused',
    agent: target?.agent ?? '',
    session: target === undefined ? '' : await handleOf(db, target.project_id, target.id),
    created,
    response: `${error.message} ${error.hint ?? ''}`.trim(),
    truncated: false,
    durationMs: 0,
    costUsd: 0,
    toolCalls: [],
  }
}

export const toolOutputOf = (answer: Answer): ToolOutput => ({
  output: answer,
  ...(answer.status === 'complete' ? {} : { error: true }),
})

const LOOKED_BACK = 100

/** The tools that the turn called on its way to the answer; of a very long turn only the newest. */
async function recentCalls(db: Db, { id, session_id }: TurnRow): Promise<Said['toolCalls']> {
  const newest = await selectMessages(db, session_id, { newestFirst: true, limit: LOOKED_BACK })
  const ids = newest
    .filter((message) => message.role === 'tool' && message.turn_id === id)
    .flatMap((message) =>
      toMessage(message).parts.flatMap((part) => (part.type === 'tool-result' ? [part.callId] : [])),
    )
  return (await selectCalls(db, ids)).map((call) => ({ name: call.name, durationMs: lasted(call) }))
}

const readAsks = async (db: Db, sessionId: SessionId): Promise<MailRow[]> =>
  (await unansweredAsks(db, sessionId)).filter(({ state }) => state === 'taken')

const lasted = ({ started_at, ended_at }: CallRow): number =>
  started_at === null || ended_at === null ? 0 : ended_at - started_at
