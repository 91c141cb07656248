import type { Part, ToolCallPart, ToolResultPart } from '../../src/contract/messages.ts'
import type { Acknowledged } from './client.ts'
import type { Rows } from './rows.ts'

/** What must hold whatever crashed: each sentence that comes back is a promise that was broken. */
export function broken(acknowledged: Acknowledged, rows: Rows): string[] {
  return [
    ...rows.damage.map((line) => `the database is damaged: ${line}`),
    ...lostMail(acknowledged, rows),
    ...lostAnswers(acknowledged, rows),
    ...rows.sessions.flatMap((session) => [
      ...unrest(session, rows),
      ...badLog(session.id, rows),
      ...badEvents(session.id, rows),
    ]),
  ]
}

/** Everything acknowledged is there, in one message, and in the order in which it was sent. */
function lostMail(acknowledged: Acknowledged, { sessions, mail, messages }: Rows): string[] {
  const found: string[] = []
  for (const { id, clientId } of acknowledged.sessions) {
    const same = sessions.filter((session) => session.client_id === clientId)
    if (same.length !== 1 || same[0]?.id !== id) found.push(`session ${clientId} is there ${same.length} times`)
  }
  for (const { mailId, clientId, content } of acknowledged.mail) {
    const same = mail.filter((row) => row.client_id === clientId)
    if (same.length !== 1 || same[0]?.id !== mailId || same[0].content !== content) {
      found.push(`mail ${clientId} is there ${same.length} times, or not as it was acknowledged`)
    }
  }
  if (mail.length !== acknowledged.mail.length)
    found.push(`${mail.length} mails, ${acknowledged.mail.length} acknowledged`)
  for (const row of mail) {
    const times = messages.filter((message) => message.mail_id === row.id).length
    if (row.state !== 'taken' || times !== 1)
      found.push(`mail ${row.client_id} is ${row.state} and in ${times} messages`)
  }
  for (const { id } of sessions) {
    // Held mail comes last by its nature; among itself, and the rest among itself, order is kept.
    for (const held of [false, true]) {
      const sent = acknowledged.mail.map(({ mailId }) => mailId)
      const kind = mail.filter((row) => row.session_id === id && (row.outcome === 'held') === held).map((row) => row.id)
      const read = messages.map(({ mail_id }) => mail_id).filter((mailId) => mailId !== null && kind.includes(mailId))
      const inOrder = sent.filter((mailId) => kind.includes(mailId))
      if (read.join() !== inOrder.join()) found.push(`session ${id} read mail in the order ${read}, sent as ${inOrder}`)
    }
  }
  return found
}

export function lostAnswers(acknowledged: Acknowledged, { inbox }: Rows): string[] {
  return acknowledged.answers.flatMap(({ inboxId, answer }) => {
    const item = inbox.find(({ id }) => id === inboxId)
    return item?.status === 'answered' && item.answer === JSON.stringify({ answer })
      ? []
      : [`the answer to ${inboxId} is lost`]
  })
}

/** At the end nobody holds, wants or waits for anything. */
export function unrest(
  session: Rows['sessions'][number],
  { calls, inbox, timers, turns }: Rows,
  ends: readonly string[] = ['done'],
): string[] {
  const { id, status, lease_owner, wanted_at, turn_id, signal, attempts } = session
  const found: string[] = []
  const resting = session.mode === 'subagent' ? 'closed' : 'idle'
  if (status !== resting && !gaveUp(session)) found.push(`session ${id} is ${status} (${session.reason})`)
  if (lease_owner !== null || wanted_at !== null || turn_id !== null || signal !== null || attempts !== 0) {
    found.push(`session ${id} is not at rest: ${JSON.stringify({ lease_owner, wanted_at, turn_id, signal, attempts })}`)
  }
  for (const call of calls) {
    if (call.session_id === id && call.state !== 'done') found.push(`call ${call.name} is ${call.state}`)
  }
  for (const item of inbox) {
    if (item.session_id === id && item.status === 'open' && item.call_id !== null) found.push(`${item.id} is open`)
  }
  for (const timer of timers) if (timer.session_id === id) found.push(`timer ${timer.id} is left`)
  for (const turn of turns) {
    if (turn.session_id === id && !ends.includes(turn.ended_as ?? '') && !gaveUp(turn)) {
      found.push(`turn ${turn.id} ended as ${turn.ended_as} (${turn.reason})`)
    }
  }
  return found
}

/** Killed at every attempt, it was ended for good: right where kills are many, wrong where there was one. */
export const gaveUp = ({ reason }: { readonly reason: string | null }): boolean =>
  reason?.startsWith('The program stopped') ?? false

/** Positions without holes; every call followed by exactly one result before anyone else speaks. */
export function badLog(sessionId: string, { sessions, messages, calls }: Rows): string[] {
  const found: string[] = []
  const log = messages.filter((message) => message.session_id === sessionId)
  const session = sessions.find(({ id }) => id === sessionId)
  if (log.some(({ seq }, index) => seq !== index + 1)) found.push(`the log of ${sessionId} has holes`)
  if (session?.next_seq !== log.length + 1 || session.message_count !== log.length)
    found.push(`session ${sessionId} miscounts its log`)
  let open: string[] = []
  for (const message of log) {
    const parts = JSON.parse(message.parts) as Part[]
    const results = resultsOf(parts).map(({ callId }) => callId)
    if (message.role !== 'tool' && open.length > 0)
      found.push(`message ${message.seq} comes before the results of ${open}`)
    for (const id of results) if (!open.includes(id)) found.push(`result of ${id} has no open call before it`)
    open = [...open.filter((id) => !results.includes(id)), ...callsIn(parts).map(({ callId }) => callId)]
  }
  if (open.length > 0) found.push(`no result for ${open}`)
  const made = log.flatMap(({ parts }) => callsIn(JSON.parse(parts))).map(({ callId }) => callId)
  const stored = calls.filter((call) => call.session_id === sessionId).map(({ id }) => id)
  if (made.toSorted().join() !== stored.toSorted().join()) found.push(`the calls of ${sessionId} and their rows differ`)
  return found
}

/** The record tells the same story, once: each thing was noted as often as it is there. */
export function badEvents(sessionId: string, { events, messages, mail, calls, turns, inbox }: Rows): string[] {
  const answered = inbox.filter(({ status }) => status === 'answered')
  const own = events.filter((event) => event.session_id === sessionId)
  const of = <T extends { session_id: string | null }>(rows: readonly T[]) =>
    rows.filter((row) => row.session_id === sessionId).length
  const expected: Record<string, number> = {
    'session.created': 1,
    'message.appended': of(messages),
    'mail.accepted': of(mail),
    'mail.taken': of(mail),
    'turn.started': of(turns),
    'turn.ended': of(turns),
    'tool.ended': of(calls),
    'inbox.answered': of(answered),
  }
  const found = Object.entries(expected).flatMap(([type, times]) => {
    const noted = own.filter((event) => event.type === type).length
    return noted === times ? [] : [`${type} was recorded ${noted} times for ${times}`]
  })
  found.push(...badItems(sessionId, own, inbox))
  let status = 'idle'
  for (const event of own.filter(({ type }) => type === 'session.status')) {
    const { from, to } = JSON.parse(event.data) as { from: string; to: string }
    if (from !== status) found.push(`status went from ${from} though it was ${status}`)
    status = to
  }
  return found
}

/** A notice that was told again is of the session that told it last; every other item is of the one that its event names. */
function badItems(sessionId: string, own: Rows['events'], inbox: Rows['inbox']): string[] {
  const added = own
    .filter(({ type }) => type === 'inbox.added')
    .map(({ data }) => JSON.parse(data) as { inboxId: string; kind: string })
  const there = inbox.filter(({ session_id, grouped }) => session_id === sessionId && grouped === null)
  const ids = new Set([...added.map(({ inboxId }) => inboxId), ...there.map(({ id }) => id)])
  const lost = added.filter(({ inboxId, kind }) => kind !== 'notice' && !inbox.some(({ id }) => id === inboxId))
  return [
    ...[...ids].flatMap((id) => {
      const times = added.filter(({ inboxId }) => inboxId === id).length
      return times === 1 ? [] : [`inbox.added was recorded ${times} times for ${id}`]
    }),
    ...lost.map(({ inboxId }) => `${inboxId} was added and is lost`),
  ]
}

/** SQLite numbers events without holes; on PostgreSQL a transaction that is lost takes its numbers with it. */
export const hasHoles = ({ events }: Rows): boolean => events.some(({ id }, index) => Number(id) !== index + 1)

export const callsIn = (parts: readonly Part[]): ToolCallPart[] => parts.filter((part) => part.type === 'tool-call')
export const resultsOf = (parts: readonly Part[]): ToolResultPart[] =>
  parts.filter((part) => part.type === 'tool-result')
