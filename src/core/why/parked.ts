import type { SessionId } from '../../contract/ids.ts'
import type { WhyThing, WhyUnblock, WhyWakes } from '../../contract/why.ts'
import { resolutionOf } from '../../store/calls.ts'
import { findInbox } from '../../store/inbox.ts'
import { findMail } from '../../store/mail.ts'
import type { CallRow, TaskRow } from '../../store/tables.ts'
import { findTimer, tasksOfCall } from '../../store/why.ts'
import { answerCommands } from './commands.ts'
import { described, type Look, line, listed, moment, NAMED, type Named, nameOfId, person, wakes } from './reason.ts'

/** What one parked call waits for. */
export interface Wait {
  /** "waits …", without the word. */
  readonly says: string
  readonly since: number
  readonly things: readonly WhyThing[]
  readonly wakes: WhyWakes
  readonly unblock: readonly WhyUnblock[]
  readonly follows: readonly SessionId[]
}

export async function waitOf(look: Look, call: CallRow, owner: Named): Promise<Wait> {
  const until = (await findTimer(look.db, call))?.due_at
  switch (call.kind) {
    case 'approval':
    case 'question':
      return forPerson(look, call, call.kind)
    case 'timer':
      return forTime(call, owner, until)
    case 'ask':
      return forAnswer(look, call, owner, until)
    case 'spawn':
    case 'tasks':
      return forTasks(look, call, owner, until)
    default:
      return forWhatever(call, owner, until)
  }
}

async function forPerson(look: Look, call: CallRow, kind: 'approval' | 'question'): Promise<Wait> {
  const item = call.inbox_id === null ? undefined : await findInbox(look.db, call.inbox_id)
  const ref = call.inbox_id ?? call.id
  return {
    says: kind === 'approval' ? `for your approval of ${call.name}` : 'for your answer',
    since: item?.created_at ?? call.created_at,
    things: [{ kind, ref, label: kind === 'question' && item ? line(look, item.title) : described(look, call) }],
    wakes: wakes('answer', kind === 'approval' ? 'your decision' : 'your answer'),
    unblock: answerCommands(kind, ref),
    follows: [],
  }
}

function forTime(call: CallRow, owner: Named, until: number | undefined): Wait {
  const label = until === undefined ? call.name : `${call.name} until ${moment(until)}`
  return {
    says: until === undefined ? 'for a timer' : `for the time ${moment(until)}`,
    since: call.started_at ?? call.created_at,
    things: [{ kind: 'timer', ref: call.id, label }],
    wakes: wakes('time', 'the timer, or a message before', until),
    unblock: [endEarly(owner)],
    follows: [],
  }
}

async function forAnswer(look: Look, call: CallRow, owner: Named, due: number | undefined): Promise<Wait> {
  const mail = call.ref === null ? undefined : await findMail(look.db, call.ref)
  if (mail === undefined) return forWhatever(call, owner, due)
  const asked = await nameOfId(look, mail.session_id)
  const until = due ?? mail.ask_until ?? undefined
  const read = mail.state === 'taken' ? 'has read the question' : `has not read the question (${mail.state})`
  return {
    says: `for the answer of ${asked.who}`,
    since: mail.created_at,
    things: [{ kind: 'session', ref: mail.session_id, label: `${asked.who} ${read}: ${line(look, mail.content)}` }],
    wakes: wakes('answer', `the answer of ${asked.who}${atLatest(until)}`, until),
    unblock: [
      { who: asked.who, does: 'answers' },
      person('answer in its place', `troupe answer ${mail.id} "…"`),
      endEarly(owner),
    ],
    follows: [mail.session_id],
  }
}

async function forTasks(look: Look, call: CallRow, owner: Named, until: number | undefined): Promise<Wait> {
  const tasks = await tasksOfCall(look.db, call.id)
  const open = tasks.filter(isOpen)
  const names = await Promise.all(tasks.map(({ session_id }) => nameOfId(look, session_id)))
  const waited = open.map((task) => names[tasks.indexOf(task)]!.who)
  return {
    says: waited.length === 0 ? 'for tasks that have ended' : `for ${listed(waited)} to finish`,
    since: tasks[0] === undefined || call.kind === 'tasks' ? (call.started_at ?? call.created_at) : tasks[0].created_at,
    things: tasks.map((task, at) => taskThing(look, task, names[at]!.who)),
    wakes: wakes('task', `${endOf(call, waited.length)}${atLatest(until)}`, until),
    unblock: [...waited.map((who) => ({ who, does: 'finishes' })).slice(0, NAMED), endEarly(owner)],
    follows: open.map(({ session_id }) => session_id),
  }
}

/** While it is parked, what a call needs is kept where its result will be. */
function endOf(call: CallRow, open: number): string {
  const { need } = resolutionOf<{ need?: string }>(call, {})
  return open === 1 ? 'the end of that task' : `the end of ${need === 'any' ? 'one' : 'all'} of those tasks`
}

export const taskThing = (look: Look, task: TaskRow, who: string): WhyThing => ({
  kind: 'task',
  ref: task.id,
  label: `${who}, ${task.status}: ${line(look, task.instruction)}`,
})

export const isOpen = ({ status }: TaskRow): boolean => ['pending', 'processing', 'waiting'].includes(status)

const forWhatever = (call: CallRow, owner: Named, until: number | undefined): Wait => ({
  says: `for ${call.name}`,
  since: call.started_at ?? call.created_at,
  things: [{ kind: 'call', ref: call.id, label: call.name }],
  wakes: wakes('call', `its result${atLatest(until)}`, until),
  unblock: [person('end the turn', `troupe sessions cancel ${owner.ref}`)],
  follows: [],
})

const endEarly = (owner: Named): WhyUnblock => person('end the wait with a message', `troupe send ${owner.ref} "…"`)

const atLatest = (until: number | undefined): string => (until === undefined ? '' : `, or the time ${moment(until)}`)
