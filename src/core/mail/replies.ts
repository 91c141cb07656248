import type { Reply } from '../../contract/api.ts'
import type { MailId, SessionId } from '../../contract/ids.ts'
import { openCalls } from '../../store/calls.ts'
import { spentOf } from '../../store/cost.ts'
import { toReceipt } from '../../store/mail.ts'
import { selectTurnMessages, toMessage } from '../../store/messages.ts'
import { findSession, handleOf, tokensOf } from '../../store/sessions.ts'
import type { MailRow, SessionRow, TurnRow } from '../../store/tables.ts'
import { findTurn } from '../../store/turns.ts'
import { type Core, mayEndTurn, until } from '../base/index.ts'
import { askedForMoney } from '../budgets/index.ts'
import { newestAnswer } from '../sessions/index.ts'
import { asksPerson, sessionsBehind } from '../waits/index.ts'
import { mailRow } from './deliver.ts'

/** Waits until the turn that took this mail ends, or parks, or the time is up; says where things stand then. */
export async function waitForReply(
  core: Core,
  { id, about }: { readonly id: MailId; readonly about: SessionId },
  seconds: number,
  signal?: AbortSignal,
): Promise<Reply> {
  let waiting = false
  const look = () =>
    settledReply(core, id, ({ status }) => {
      waiting = status === 'waiting'
    })
  // What somebody further on waits for, and asks the person, is told of another session.
  const settled = await until(core, look, { seconds, signal, about, on: mayEndTurn, told: () => !waiting })
  return settled ?? { ...(await receipt(core, await mailRow(core.store.read, id))), ended: false }
}

async function settledReply(core: Core, id: MailId, seen: (session: SessionRow) => void): Promise<Reply | undefined> {
  const db = core.store.read
  const mail = await mailRow(db, id)
  if (mail.state === 'expired' || mail.state === 'undeliverable') {
    return { ...(await receipt(core, mail)), ended: true, reason: `The mail is ${mail.state}.` }
  }
  const session = (await findSession(db, mail.session_id))!
  seen(session)
  const turn = mail.turn_id === null ? undefined : await findTurn(db, mail.turn_id)
  if (turn?.ended_at != null) return ended(core, mail, turn)
  // A turn that waits for time alone goes on by itself; one that waits for a person does not.
  const waits = session.status === 'waiting' ? await personWaits(core, session.id) : []
  if (waits.length > 0) return { ...(await receipt(core, mail)), ended: false, reason: session.reason ?? '', waits }
  if (session.status === 'error' && session.wanted_at === null && ['queued', 'taken'].includes(mail.state)) {
    return { ...(await receipt(core, mail)), ended: true, end: 'error', reason: session.reason ?? '' }
  }
  if (session.status === 'paused' || session.deleted_at !== null) {
    return {
      ...(await receipt(core, mail)),
      ended: false,
      reason: `The session is ${session.deleted_at ? 'deleted' : 'paused'}.`,
    }
  }
  return undefined
}

async function ended(core: Core, mail: MailRow, turn: TurnRow): Promise<Reply> {
  const messages = (await selectTurnMessages(core.store.read, mail.session_id, turn.id)).map(toMessage)
  const results = messages.flatMap(({ parts }) => parts.filter((part) => part.type === 'tool-result'))
  return {
    ...(await receipt(core, mail)),
    ended: true,
    end: turn.ended_as ?? '',
    reason: turn.reason ?? '',
    reply: newestAnswer(messages),
    toolCalls: results.map(({ name, error }) => ({ name, ok: error !== true })),
    usage: tokensOf(turn),
    ...spentOf(turn),
    durationMs: (turn.ended_at ?? 0) - turn.started_at,
  }
}

const DEEP = 10

/** What people are asked by this turn, and by whomever it waits for. */
async function personWaits(core: Core, sessionId: SessionId, depth = 0): Promise<NonNullable<Reply['waits']>> {
  const open = await openCalls(core.store.read, sessionId)
  const waits = await Promise.all(
    open.map(async (call) => {
      if (asksPerson(call)) {
        const inbox = call.inbox_id === null ? {} : { inboxId: call.inbox_id }
        return [{ callId: call.id, tool: call.name, kind: call.kind ?? '', ...inbox }]
      }
      const others = depth < DEEP ? await sessionsBehind(core.store.read, call) : []
      return (await Promise.all(others.map((id) => personWaits(core, id, depth + 1)))).flat()
    }),
  )
  const asked = await askedForMoney(core.store.read, sessionId)
  return [...waits.flat(), ...(asked === undefined ? [] : [{ kind: 'budget', inboxId: asked }])]
}

const receipt = async (core: Core, mail: MailRow) => ({
  ...toReceipt(mail),
  session: await handleOf(core.store.read, mail.project_id, mail.session_id),
})
