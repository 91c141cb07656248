import { type Message, textOf } from '../../contract/messages.ts'
import type { Todo } from '../../contract/sessions.ts'
import { shorten } from '../../lib/shorten.ts'
import { type NewMessage, selectHeard, toMessage } from '../../store/messages.ts'
import type { SessionRow, TurnRow } from '../../store/tables.ts'
import { findTodos } from '../../store/todos.ts'
import type { Tx } from '../base/index.ts'

/** Every so many model calls of one turn the agent is reminded. */
const REMIND_EVERY = 10
const ASKED_CHARS = 300
const TODO_CHARS = 100
const TODOS = 5

/** Long work drifts: a short message reminds the agent of what it was asked and what is open on its list. */
export async function remindOfTask(
  tx: Tx,
  session: SessionRow,
  row: TurnRow,
  logs: readonly (readonly Message[])[],
  maxIterations: number,
): Promise<NewMessage[]> {
  if (row.iterations === 0 || row.iterations % REMIND_EVERY !== 0) return []
  const todos = (await findTodos(tx.db, session.id))?.todos ?? []
  const text = [
    `A reminder: you have made ${row.iterations} of at most ${maxIterations} model calls in this turn.`,
    asked(logs.flat(), row.id) || asked(await summedUp(tx, session, row.id), row.id),
    openTodos(todos),
    'Go on with that. When it is done, end with the result; if something blocks you, say what.',
  ].filter(Boolean)
  return [
    { role: 'system', from: { kind: 'system' }, turnId: row.id, parts: [{ type: 'text', text: text.join('\n') }] },
  ]
}

/** What the turn heard is not read any more where its beginning was summed up. */
const summedUp = async ({ db }: Tx, { id, compaction_count }: SessionRow, turnId: string): Promise<Message[]> =>
  compaction_count === 0 ? [] : (await selectHeard(db, id, turnId)).map(toMessage)

/** A person's words are repeated; an agent's are only pointed at, because here they would speak in the runtime's voice. */
function asked(messages: readonly Message[], turnId: string): string {
  const heard = messages.filter((message) => message.role === 'user' && message.turnId === turnId && !message.deletedAt)
  const person = heard.findLast(({ from }) => from?.kind === 'human')
  if (person) return `The person asked: ${JSON.stringify(shorten(textOf(person.parts).trim(), ASKED_CHARS))}`
  const from = heard.at(-1)?.from
  return from?.kind === 'agent' ? `You work on what ${from.agent ?? 'an agent'} wrote to you in this turn.` : ''
}

function openTodos(todos: readonly Todo[]): string {
  const open = todos.filter(({ status }) => status === 'in_progress' || status === 'pending')
  if (open.length === 0) return ''
  const shown = open
    .sort((a, b) => Number(b.status === 'in_progress') - Number(a.status === 'in_progress'))
    .slice(0, TODOS)
    .map(({ content, status }) => `- ${shorten(content, TODO_CHARS)} (${status})`)
  const more = open.length > TODOS ? [`- and ${open.length - TODOS} more`] : []
  return ['Open on your list:', ...shown, ...more].join('\n')
}
