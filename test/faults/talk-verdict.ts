import type { ToolResultPart } from '../../src/contract/messages.ts'
import type { Acknowledged } from './client.ts'
import { badEvents, badLog, gaveUp, lostAnswers, resultsOf, unrest } from './invariants.ts'
import { type Rows, rowsOf } from './rows.ts'
import { SAID, type Talk } from './talk.ts'

/** The lead, whom it asked, whom it told, and its children. */
const SESSIONS = 8
const REQUESTS = 19
/** How many may be at work at one moment, and are asked again after a crash. */
const AT_ONCE = 4

/** Everything that is wrong with how agents that talked came out of it; empty when nothing was lost or done twice. */
export function talkVerdict(talk: Talk, acknowledged: Acknowledged, all: Rows): string[] {
  const rows = rowsAround(all, talk.leadId)
  const { requests, crashes } = talk
  return [
    ...all.damage.map((line) => `the database is damaged: ${line}`),
    ...lostAnswers(
      { ...acknowledged, answers: acknowledged.answers.filter((row) => row.sessionId === talk.leadId) },
      all,
    ),
    ...rows.sessions.flatMap((session) => [
      ...unrest(session, rows, ['done', 'canceled']),
      ...badLog(session.id, rows),
      ...badEvents(session.id, rows),
    ]),
    ...(rows.sessions.length === SESSIONS ? [] : [`${rows.sessions.length} sessions instead of ${SESSIONS}`]),
    ...(rows.turns.some(gaveUp) ? ['a turn was given up after one crash'] : []),
    ...(requests <= REQUESTS + AT_ONCE * crashes ? [] : [`the models were asked ${requests} times`]),
    ...badMail(talk, rows),
    ...badTasks(rows),
    ...badEnds(talk, rows),
  ]
}

/** Each mail once, and in exactly one message of the session it was sent to. */
function badMail({ number, leadId }: Talk, { mail, messages }: Rows): string[] {
  const found = mail.flatMap((row) => {
    const places = messages.filter((message) => message.mail_id === row.id)
    const right = row.state === 'taken' && places.length === 1 && places[0]?.session_id === row.session_id
    return right ? [] : [`mail "${row.content}" is ${row.state} and in ${places.length} messages`]
  })
  const sent = ['ask', 'slow', 'child', 'later', 'notice', 'never'].map((name) => `${name}#${number}#`)
  const told = ['one', 'two'].map((name) => `tell#${number}# ${name}`)
  const person = [0, 1, 2].map((part) => `lead#${number}# part ${part}`)
  const contents = mail.filter(({ from_kind }) => from_kind !== 'system').map(({ content }) => content)
  const expected = [...sent, ...told, ...person, SAID.slow]
  if (contents.toSorted().join() !== expected.toSorted().join()) found.push(`the mails were ${contents.join(', ')}`)

  const notices = mail.filter(({ from_kind }) => from_kind === 'system')
  if (notices.length !== 1 || notices[0]?.session_id !== leadId || !notices[0].content.includes(SAID.notice))
    found.push(`the lead was told by mail: ${JSON.stringify(notices.map(({ content }) => content))}`)
  const order = messages.flatMap(({ mail_id }) => mail.find(({ id }) => id === mail_id)?.content ?? [])
  if (order.filter((content) => told.includes(content)).join() !== told.join()) found.push('tell: the order was lost')
  return found
}

/** One task and one child for one call; each in one last state, each told once. */
function badTasks({ calls, tasks, sessions, subscriptions }: Rows): string[] {
  const found: string[] = []
  const spawns = calls.filter(({ name }) => name === 'agent_spawn').map(({ id }) => id)
  const made = tasks.map(({ call_id }) => call_id)
  if (spawns.toSorted().join() !== made.toSorted().join()) found.push(`${made.length} tasks for ${spawns.length} calls`)
  const children = sessions.filter(({ mode }) => mode === 'subagent').map(({ task_id }) => task_id)
  const ids = tasks.map(({ id }) => id)
  if (children.toSorted().join() !== ids.toSorted().join()) found.push('the tasks and the children differ')
  const ends = tasks.map(({ status }) => status).toSorted()
  if (ends.join() !== 'canceled,finished,finished,finished') found.push(`the tasks ended as ${ends}`)
  const told = subscriptions.filter(({ task_id }) => ids.includes(task_id)).map(({ state }) => state)
  if (told.join() !== 'told,told,told,told') found.push(`the subscriptions are ${told}`)
  return found
}

/** Each question ends once; what came by a call did not come by mail too; the person was led on, and told, once. */
function badEnds({ leadId }: Talk, { mail, messages, inbox, events }: Rows): string[] {
  const found: string[] = []
  const results = messages
    .filter(({ session_id }) => session_id === leadId)
    .flatMap(({ parts }) => resultsOf(JSON.parse(parts)))
  const outputs = (name: string) => results.filter((result) => result.name === name).map(textOf)
  const once = (name: string, text: string) => {
    const times = outputs(name).filter((output) => output.includes(text)).length
    if (times !== 1) found.push(`${name} said "${text}" ${times} times: ${outputs(name).join(' | ')}`)
  }
  once('agent_message', SAID.asked)
  once('agent_message', '"status":"timeout"')
  once('agent_spawn', SAID.child)
  once('agent_spawn', 'canceled')
  once('task_wait', SAID.later)
  once('agent_send', '"outcome":"suppressed"')
  if (results.length !== 11) found.push(`${results.length} results`)
  const asks = mail.filter(({ ask_state }) => ask_state !== null).map(({ ask_state }) => ask_state)
  if (asks.join() !== 'closed,closed') found.push(`the questions are ${asks}`)
  const items = inbox.map(({ kind, status }) => `${kind} ${status}`).toSorted()
  if (items.join() !== 'message open,notice answered') found.push(`the inbox has ${items}`)
  const switches = events.filter(({ type }) => type === 'session.switched').length
  if (switches !== 1) found.push(`the person was led on ${switches} times`)
  return found
}

/** Everyone the lead made or wrote to. */
function rowsAround(rows: Rows, leadId: string): Rows {
  const reached = rows.mail.filter(({ from_session_id }) => from_session_id === leadId).map((row) => row.session_id)
  const ids = new Set([leadId, ...reached])
  for (const { id, parent_session_id } of rows.sessions) if (parent_session_id === leadId) ids.add(id)
  return rowsOf(rows, ids)
}

const textOf = ({ output }: ToolResultPart): string => (typeof output === 'string' ? output : JSON.stringify(output))
