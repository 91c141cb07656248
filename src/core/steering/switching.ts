import type { BackSession, SwitchSession } from '../../contract/api.ts'
import { AppError } from '../../contract/errors.ts'
import type { SessionId } from '../../contract/ids.ts'
import type { Receipt } from '../../contract/mail.ts'
import { textOf } from '../../contract/messages.ts'
import type { Session } from '../../contract/sessions.ts'
import { newId } from '../../lib/ids.ts'
import { quote } from '../../lib/shell/quote.ts'
import { findMail, findMailByClient } from '../../store/mail.ts'
import { selectMessages, toMessage } from '../../store/messages.ts'
import { findSession, handleOf, toSession } from '../../store/sessions.ts'
import { findSwitch, findSwitchByClient, insertSwitch } from '../../store/switches.ts'
import type { Db, SessionRow, SwitchRow } from '../../store/tables.ts'
import { aboutSession, type Core, keyOf, type Tx } from '../base/index.ts'
import { agentFor, findAgent } from '../config/index.ts'
import { deliver, type Party, resolveAddress, type Sent, type Speaker, sendAs } from '../mail/index.ts'
import { changed, gone, projectOfSession } from '../sessions/index.ts'

interface Switched {
  readonly session: Session
  readonly receipt?: Receipt
}

/** The person goes on with another agent: its latest session, made when there is none, with what they say to it. */
export async function switchSession(core: Core, fromId: SessionId, body: SwitchSession): Promise<Switched> {
  const from = await existing(core.store.read, fromId)
  const person: Speaker = { kind: 'human', project: await projectOfSession(core, from) }
  return switchPerson(core, from, person, { ...body, key: `switch:${body.clientId ?? newId('once')}` })
}

/** An agent leads the person who talks to it to another agent. What it says there is its own word, not the person's. */
export async function leadPerson(
  core: Core,
  by: Party,
  order: Omit<SwitchOrder, 'key'>,
  callId: string,
): Promise<Switched> {
  if (by.session.mode !== 'chat') {
    throw new AppError('session.state', 'No person talks to you in this session, so there is nobody to lead on.', {
      hint: 'Write to the agent yourself: agent_send or agent_message.',
    })
  }
  return switchPerson(core, by.session, by, { ...order, key: keyOf(callId) })
}

interface SwitchOrder {
  readonly agent: string
  readonly message?: string | undefined
  /** The same key again leads to the same session, and is one switch. */
  readonly key: string
}

async function switchPerson(
  core: Core,
  from: SessionRow,
  by: Speaker,
  { agent, message, key }: SwitchOrder,
): Promise<Switched> {
  const to = (await begunBefore(core.store.read, from, key)) ?? (await latestOf(core, by, agent, key))
  if (to === from.id) throw sameSession(agent)
  if (message === undefined) return { session: await enter(core, from, to, key) }
  const receipt =
    by.kind === 'human'
      ? await deliver(core, { to, from: { kind: 'human' }, content: message, clientId: key })
      : receiptOf(await sendAs(core, by, { to: agent, content: message, clientId: key }))
  const session = await enter(core, from, receipt.sessionId ?? to, key, receipt.mailId)
  return { session, receipt }
}

/** The person goes back to where they came from. That session is told what was said here. */
export async function backSession(core: Core, id: SessionId, body: BackSession = {}): Promise<Session> {
  const db = core.store.read
  const left = await existing(db, id)
  const key = body.clientId && `back:${body.clientId}`
  const before = key && (await begunBefore(db, left, key))
  if (before) return toSession(db, await existing(db, before))
  if (left.came_from === null) throw nowhere()
  const origin = await findSession(db, left.came_from)
  if (origin === undefined || origin.deleted_at !== null) {
    await leave(core, id, undefined, undefined)
    throw new AppError('session.deleted', 'The session the person came from was deleted.', {
      hint: 'Go on here, or choose another from "troupe sessions".',
    })
  }
  const visit = left.switch_id === null ? undefined : await findSwitch(db, left.switch_id)
  const said = body.summary?.trim() || (await saidSince(db, left, visit))
  if (said) {
    await deliver(core, {
      to: origin.id,
      from: { kind: 'system' },
      content: `The person was with ${left.agent} ${await handleOf(db, left.project_id, id)}. ${said}`,
      // One visit is told once, also when a crash cut the way back and the person goes back again.
      clientId: visit ? `visit:${visit.id}:${id}` : key || newId('visit'),
    })
  }
  await leave(core, id, origin, key)
  return toSession(db, await existing(db, origin.id))
}

/** A child becomes independent: it no longer ends with the session that made it. What bounds it stays. */
export async function promoteSession(core: Core, id: SessionId): Promise<Session> {
  const row = await existing(core.store.read, id)
  agentFor(await findAgent(core, await projectOfSession(core, row), row.agent), 'chat')
  return changed(core, id, 'session.promote', async (tx, session) => {
    if (session.parent_session_id === null && session.mode === 'chat') return
    if (session.parent_session_id === null) {
      const handle = await handleOf(tx.db, session.project_id, id)
      throw new AppError('session.state', `The session ${handle} is no child: no other session made it.`, {
        hint: 'Only a child, which would end with the session that made it, can be promoted.',
      })
    }
    session.parent_session_id = null
    session.mode = 'chat'
    session.updated_at = tx.now
    tx.record('session.updated', aboutSession(session), { changed: { parentSessionId: null, mode: 'chat' } })
  })
}

/** Where the same request has led before: the switch itself, or, after a crash, the mail that went ahead of it. */
async function begunBefore(db: Db, from: SessionRow, key: string): Promise<SessionId | undefined> {
  const done = await findSwitchByClient(db, from.id, key)
  return done?.to_session_id ?? (await findMailByClient(db, from.project_id, key))?.session_id
}

async function latestOf(core: Core, by: Speaker, agent: string, key: string): Promise<SessionId> {
  // Other addresses would be found too, but a person is led on to an agent.
  await findAgent(core, by.project, agent)
  const found = await resolveAddress(core, by, agent, { clientId: key })
  if (found.to !== 'session') throw sameSession(agent)
  return found.sessionId
}

const enter = (core: Core, from: SessionRow, to: SessionId, key: string, mailId?: string): Promise<Session> =>
  changed(core, to, 'session.switch', async (tx, session) => {
    if (await findSwitchByClient(tx.db, from.id, key)) return
    session.came_from = from.id
    session.updated_at = tx.now
    tx.record('session.updated', aboutSession(session), { changed: { cameFrom: from.id } })
    session.switch_id = await recordSwitch(tx, from, session, {
      clientId: key,
      ...(mailId === undefined ? {} : { mailId }),
    })
  })

const leave = (core: Core, id: SessionId, origin: SessionRow | undefined, key: string | undefined): Promise<Session> =>
  changed(core, id, 'session.back', async (tx, session) => {
    if (session.came_from === null || (origin && session.came_from !== origin.id)) return
    if (key && (await findSwitchByClient(tx.db, id, key))) return
    session.came_from = null
    tx.record('session.updated', aboutSession(session), { changed: { cameFrom: null } })
    if (origin) await recordSwitch(tx, session, origin, key ? { clientId: key } : {})
  })

/** Only one of the two sessions is locked, so the switch between them is a row of its own. */
async function recordSwitch(
  tx: Tx,
  from: SessionRow,
  to: SessionRow,
  more: { clientId?: string; mailId?: string },
): Promise<string> {
  const id = newId('switch')
  await insertSwitch(tx.db, {
    id,
    from_session_id: from.id,
    to_session_id: to.id,
    client_id: more.clientId ?? null,
    mail_id: more.mailId ?? null,
    at: tx.now,
  })
  const handle = await handleOf(tx.db, to.project_id, to.id)
  tx.record('session.switched', aboutSession(from), { to: to.id, agent: to.agent, handle, ...more })
  return id
}

const SAID = 2000
const LOOKED_AT = 100

/** What the agent said last while the person was there. Nothing, when they only looked in. */
async function saidSince(db: Db, session: SessionRow, visit: SwitchRow | undefined): Promise<string | undefined> {
  // The message that came with the switch may have been answered before the switch was recorded.
  const mail = visit?.mail_id == null ? undefined : await findMail(db, visit.mail_id)
  const since = mail?.created_at ?? visit?.at ?? 0
  const latest = await selectMessages(db, session.id, { limit: LOOKED_AT, newestFirst: true })
  const text = latest
    .filter((row) => row.role === 'assistant' && row.created_at >= since)
    .map((row) => textOf(toMessage(row).parts).trim())
    .find((said) => said !== '')
  return text && `It said last:\n${quote(text.length > SAID ? `${text.slice(0, SAID - 1)}…` : text)}`
}

async function existing(db: Db, id: SessionId): Promise<SessionRow> {
  const row = await findSession(db, id)
  if (row === undefined) throw new AppError('session.not_found', `There is no session ${id}.`)
  if (row.deleted_at !== null) throw await gone(db, row)
  return row
}

function receiptOf(sent: Sent): Receipt {
  if (sent.to === 'session') return sent.receipt
  throw new AppError('address.unknown', 'A person is led on to an agent, not to a person.')
}

const sameSession = (agent: string): AppError =>
  new AppError('address.self', `The person is with ${agent} already: this is its latest session.`, {
    hint: 'Say it here.',
  })

const nowhere = (): AppError =>
  new AppError('session.state', 'There is nothing to go back to: nobody switched to this session from another.', {
    hint: 'Go to any session by its handle; "troupe sessions" lists them.',
  })
