import type { ToolResultPart } from '../../src/contract/messages.ts'
import type { Acknowledged } from './client.ts'
import { broken, gaveUp, resultsOf } from './invariants.ts'
import { type Rows, rowsOf } from './rows.ts'
import { ANSWER, type Conversation, NOTE, STEPS, TODOS } from './scenario.ts'

const UNKNOWN = 'interrupted; outcome unknown; not repeated'

/** Everything that is wrong with how a conversation came out; empty when it came out as if nothing had happened. */
export function verdict(conversation: Conversation, acknowledged: Acknowledged, all: Rows): string[] {
  const { sessionId, requests, crashes } = conversation
  const rows = rowsOf(all, new Set([sessionId]))
  const routes = rows.mail.map(({ outcome }) => outcome).join()
  return [
    ...broken(acknowledgedOf(acknowledged, sessionId), rows),
    ...(requests <= STEPS + crashes
      ? []
      : [`the model was asked ${requests} times for ${STEPS} steps and ${crashes} crashes`]),
    ...(rows.turns.some(gaveUp) ? ['it was given up after one crash'] : []),
    ...(rows.turns.length === 1 ? [] : [`${rows.turns.length} turns instead of one`]),
    ...(routes === 'started,queued,held,queued' ? [] : [`the mails were ${routes}`]),
    ...badResults(conversation, rows),
  ]
}

/** What is safe to repeat has its real result; what is not was done at most once, and says so when nobody knows. */
function badResults({ lines, remembered }: Conversation, rows: Rows): string[] {
  const found: string[] = []
  const results = rows.messages.flatMap(({ parts }) => resultsOf(JSON.parse(parts)))
  const outputs = (name: string) => results.filter((result) => result.name === name).map(textOf)
  const [a = '', b = ''] = outputs('read_file').toSorted()
  if (!a.includes('alpha') || !b.includes('beta')) found.push(`read_file gave ${a} and ${b}`)
  if (!outputs('ask_human').join().includes(ANSWER)) found.push(`the answer came out as ${outputs('ask_human')}`)

  const written = rows.events.filter(({ type }) => type === 'todo.changed').length
  const todos = rows.todos.map((row) => row.todos).join()
  if (written !== 1 || todos !== JSON.stringify(TODOS)) found.push(`the list was written ${written} times: ${todos}`)
  if (!outputs('todo_write').join().includes('1 items')) found.push(`todo_write said ${outputs('todo_write')}`)

  const notes = rows.events.filter(({ type, data }) => type === 'log' && data.includes(NOTE)).length
  if (notes !== 1) found.push(`the note was left ${notes} times`)

  const memory = rows.events.filter(({ type }) => type === 'memory.written').length
  if (memory !== 1 || remembered.join() !== NOTE) found.push(`memory was written ${memory} times: ${remembered}`)
  if (!outputs('memory_write').join().includes('bytes now')) found.push(`memory_write said ${outputs('memory_write')}`)

  const command = results.find((result) => result.name === 'bash')
  const said = command === undefined ? '' : textOf(command).trim()
  if (lines.length > 1) found.push(`the command ran ${lines.length} times`)
  const unknown = said === UNKNOWN && command?.error === true
  const known = said === 'written' && command?.error !== true && lines.length === 1
  if (!unknown && !known) found.push(`the command ran ${lines.length} times and its result is ${said}`)
  return found
}

const acknowledgedOf = ({ sessions, mail, answers }: Acknowledged, sessionId: string): Acknowledged => ({
  sessions: sessions.filter(({ id }) => id === sessionId),
  mail: mail.filter((row) => row.sessionId === sessionId),
  answers: answers.filter((row) => row.sessionId === sessionId),
})

const textOf = ({ output }: ToolResultPart): string => (typeof output === 'string' ? output : JSON.stringify(output))
