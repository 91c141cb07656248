import type { ToolResultPart } from '../../src/contract/messages.ts'
import { broken, resultsOf } from './invariants.ts'
import { ANSWER, type Outcome, STEPS, TODOS } from './scenario.ts'

const UNKNOWN = 'interrupted; outcome unknown; not repeated'

/** Everything that is wrong with how the scenario came out; empty when it came out as if nothing had happened. */
export function verdict(outcome: Outcome): string[] {
  const { acknowledged, rows, rejections, requests, crashes, exit } = outcome
  return [
    ...broken(acknowledged, rows),
    ...rejections.map((reason) => `the vendor refused a history: ${reason}`),
    ...(requests <= STEPS + crashes ? [] : [`the model was asked ${requests} times for ${STEPS} steps and ${crashes} crashes`]),
    ...(exit.code === 0 ? [] : [`it ended with ${exit.code ?? exit.signal}: ${exit.stderr}`]),
    ...(rows.turns.length === 1 ? [] : [`${rows.turns.length} turns instead of one`]),
    ...badRoutes(outcome),
    ...badResults(outcome),
  ]
}

function badRoutes({ rows }: Outcome): string[] {
  const routes = rows.mail.map(({ outcome }) => outcome).join()
  return routes === 'started,queued,held,queued' ? [] : [`the mails were ${routes}`]
}

/** What is safe to repeat has its real result; what is not was done at most once, and says so when nobody knows. */
function badResults({ rows, lines }: Outcome): string[] {
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

  const command = results.find((result) => result.name === 'bash')
  const said = command === undefined ? '' : textOf(command)
  if (lines.length > 1) found.push(`the command ran ${lines.length} times`)
  if (said === UNKNOWN && command?.error === true) return found
  if (lines.length !== 1 || said.trim() !== 'written' || command?.error === true) {
    found.push(`the command ran ${lines.length} times and its result is ${said}`)
  }
  return found
}

const textOf = ({ output }: ToolResultPart): string => (typeof output === 'string' ? output : JSON.stringify(output))
