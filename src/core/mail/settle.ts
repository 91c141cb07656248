import { AppError } from '../../contract/errors.ts'
import type { MailId } from '../../contract/ids.ts'
import { settleAsk } from '../../store/asks.ts'
import { findMail } from '../../store/mail.ts'
import { findSession } from '../../store/sessions.ts'
import type { SessionTimer, TimerRow } from '../../store/tables.ts'
import { takeTimer } from '../../store/timers.ts'
import { type Core, onSession, transact } from '../base/index.ts'
import { notify } from '../inbox/index.ts'
import { isOver, projectOfSession } from '../sessions/index.ts'
import { answerIn, tellCall } from '../waits/index.ts'
import { limitsOf } from './chains.ts'
import { post } from './deliver.ts'

/** An answer has come: the call that waits gets it. If the call no longer waits, its session gets a message. */
export async function bringAnswer(core: Core, timer: SessionTimer): Promise<void> {
  const asker = (await findSession(core.store.read, timer.session_id))!
  const limits = await limitsOf(core, await projectOfSession(core, asker))
  await onSession(core, timer.session_id, 'ask.settle', async (tx, session) => {
    if (!(await takeTimer(tx.db, timer))) return
    const ask = await findMail(tx.db, timer.ref)
    if (ask === undefined || ask.ask_state !== (ask.ask_call_id === null ? 'closed' : 'answered')) return
    const errand = { kind: 'ask', ref: ask.id, sessionId: session.id } as const
    if (ask.ask_call_id !== null && (await tellCall(core, tx, session, ask.ask_call_id, 'answered', errand))) return
    const { status, response } = answerIn(ask)
    await settleAsk(tx.db, ask.id, ['answered'], { ask_state: 'closed' })
    if (session.deleted_at !== null || status !== 'complete') return
    if (isOver(session)) return
    const { agent } = (await findSession(tx.db, ask.session_id))!
    const late = {
      to: session.id,
      from: { kind: 'agent', agent, sessionId: ask.session_id } as const,
      content: response,
      replyTo: ask.id,
      clientId: `late:${ask.id}`,
      chain: { id: ask.chain_id, hops: ask.hops + 1 },
      limits,
    }
    await post(core, tx, session, late).catch((error: unknown) => {
      if (!(error instanceof AppError) || error.code !== 'mail.box_full') throw error
      return notify(tx, session, { title: `An answer of ${agent} found a full mailbox`, body: response })
    })
    tx.after(() => core.wake(session.id))
  })
}

/** Whoever asked over HTTP has gone, or the time is up: the answer will come as a message. */
export async function lapseAsk(core: Core, mailId: MailId, timer?: TimerRow): Promise<void> {
  await transact(core, 'ask.lapse', async (tx) => {
    if (timer !== undefined && !(await takeTimer(tx.db, timer))) return
    await settleAsk(tx.db, mailId, ['open'], { ask_state: 'late' })
  })
}
