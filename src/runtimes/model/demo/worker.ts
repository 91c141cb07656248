import { type Message, textOf } from '../../../contract/messages.ts'
import type { StepRequest } from '../../../core/base/index.ts'
import { shorten } from '../../../lib/shorten.ts'
import { hasTool, type MadeCall, type Move, madeIn, saidBy, wordsIn } from './log.ts'

/** A node as its worker was told of it. */
interface Given {
  readonly id: string
  readonly title: string
  readonly goal: string
}

interface Act {
  readonly tool: string
  readonly said: string
  readonly input: object
}

/** Whoever can put nodes below its own works for a run. */
export const worksInRun = ({ tools }: StepRequest): boolean => tools.some(({ name }) => name === 'create_work_node')

/** Plays a worker: does its node with the real tools, a call a step, and hands over what came of it. */
export function work(request: StepRequest): Move {
  const { history } = request
  const at = history.findLastIndex((message) => givenIn(message) !== undefined)
  const given = at === -1 ? undefined : givenIn(history[at]!)
  if (given === undefined) return { said: 'I am here, and wait for a node.' }
  const since = history.slice(at + 1)
  const made = madeIn(since)
  const asked = questionIn(since)
  if (asked && !made.some(({ name, input }) => name === 'agent_send' && input.to === asked))
    return { said: `I answer ${asked}.`, call: answer(asked, made) }
  if (made.some(({ name, failed }) => name === 'publish' && !failed)) return { said: 'My part is done.' }
  const next = actsFor(given, made, request).find(
    ({ tool }, index, all) => count(made, tool) <= all.slice(0, index).filter((before) => before.tool === tool).length,
  )
  if (next === undefined) return { said: summaryFor(given, made) }
  return { said: next.said, call: { name: next.tool, input: { ...next.input } } }
}

const NODE = /^(node_[0-9a-f]+)\n(.+)(?:\nGoal: (.+))?/m

function givenIn({ role, from, parts }: Message): Given | undefined {
  const [, id, title = '', goal = ''] = (role === 'user' && from?.kind === 'system' && NODE.exec(textOf(parts))) || []
  return id === undefined ? undefined : { id, title, goal }
}

/** Who of the others asked something, and waits for words. */
const questionIn = (since: readonly Message[]): string | undefined =>
  saidBy(since, 'agent')
    .map((text) => /^([A-Z]\w+) here\b.*\?$/s.exec(text.trim())?.[1])
    .findLast((name) => name !== undefined)

const answer = (to: string, made: readonly MadeCall[]) => ({
  name: 'agent_send',
  input: { to, message: `I see this: ${shorten(linesOf(made, 'list_dir')[0] ?? 'a folder', 200)}.` },
})

const count = (made: readonly MadeCall[], tool: string): number => made.filter(({ name }) => name === tool).length

/** All that a node takes, in its order; what there is no tool for is left out. */
function actsFor(given: Given, made: readonly MadeCall[], request: StepRequest): Act[] {
  const { file, before } = partOf(given)
  const path = `nodes/${given.id}/scratch/${file}`
  const acts: Act[] = [
    ...before,
    { tool: 'write_file', said: `I write ${file}.`, input: { path, content: pageFor(given, made) } },
    { tool: 'publish', said: 'I hand it over.', input: { summary: summaryFor(given, made) } },
  ]
  // Without publish nobody would look into the folder.
  const usual = hasTool(request, 'publish') ? acts : before
  return usual.filter(({ tool }) => hasTool(request, tool))
}

interface DemoPart {
  readonly file: string
  readonly before: readonly Act[]
}

function partOf({ title, goal }: Given): DemoPart {
  if (title.startsWith('Collect'))
    return {
      file: 'facts.md',
      before: [{ tool: 'list_dir', said: 'I look at what is there.', input: { path: '.' } }],
    }
  if (title.startsWith('Weigh')) {
    const question = `What matters most to you about "${shorten(goal, 80)}"?`
    return {
      file: 'options.md',
      before: [
        { tool: 'ask_human', said: 'That is for the person to say.', input: { question, options } },
        { tool: 'suggest_next', said: '', input: { suggestion: 'Try the chosen way on something small first.' } },
      ],
    }
  }
  if (title.startsWith('Draft'))
    return {
      file: 'opening.md',
      before: [
        { tool: 'agent_send', said: 'I ask Ada first.', input: { to: 'Ada', message: 'Cleo here: what do you see?' } },
      ],
    }
  if (!title.startsWith('Bring')) return { file: 'result.md', before: [] }
  const before = ['facts', 'options', 'opening'].map((name) => ({ tool: 'read_ref', said: '', input: { name } }))
  return { file: 'report.md', before }
}

const options = ['that it is quick', 'that it is thorough', 'that it stays simple']

const MOST = 12

/** The lines of what a tool returned. */
const linesOf = (made: readonly MadeCall[], tool: string): string[] =>
  made
    .filter(({ name, failed }) => name === tool && !failed)
    .flatMap(({ output }) => wordsIn(output).split('\n'))
    .filter((line) => line.trim() !== '')

const chosenIn = (made: readonly MadeCall[]): string => linesOf(made, 'ask_human')[0] ?? options[0]!

function pageFor(given: Given, made: readonly MadeCall[]): string {
  const { title, goal } = given
  return [`# ${title}`, ...(goal ? [`Goal: ${goal}`] : []), ...bodyFor(given, made), SIGNED].join('\n\n').concat('\n')
}

const SIGNED = '(Written by the scripted demo model.)'

function bodyFor({ title, goal }: Given, made: readonly MadeCall[]): string[] {
  if (title.startsWith('Collect')) return [listed(linesOf(made, 'list_dir'), 'The folder is empty.')]
  if (title.startsWith('Weigh'))
    return [listed(options, ''), `The person chose: ${chosenIn(made)}.`, 'Suggested next: try it on something small.']
  if (title.startsWith('Draft'))
    return [`This is about "${goal}": what is there, what could be done, what comes first.`]
  if (!title.startsWith('Bring')) return ['Done as asked.']
  const read = made.filter(({ name, failed }) => name === 'read_ref' && !failed)
  return read.length === 0
    ? ['Three looked at it; what they said is in their nodes.']
    : read.map(({ input, output }) => `## ${String(input.name)}\n\n${quoted(output)}`)
}

const quoted = (output: unknown): string =>
  shorten(wordsIn(output), 600)
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n')

const listed = (lines: readonly string[], none: string): string =>
  lines.length === 0
    ? none
    : [...lines.slice(0, MOST).map((line) => `- ${line}`), ...(lines.length > MOST ? ['- and more'] : [])].join('\n')

function summaryFor(given: Given, made: readonly MadeCall[]): string {
  const { title } = given
  const { file } = partOf(given)
  const where = count(made, 'write_file') > 0 ? ` It is in ${file}.` : ''
  if (title.startsWith('Collect')) return `What is there is listed, ${linesOf(made, 'list_dir').length} lines.${where}`
  if (title.startsWith('Weigh')) return `The person wants ${chosenIn(made)}.${where}`
  if (title.startsWith('Draft')) return `The opening is drafted.${where}`
  return title.startsWith('Bring') ? `The three results are one page.${where}` : `Done: ${shorten(title, 80)}.${where}`
}
