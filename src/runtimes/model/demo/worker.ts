import { type Message, textOf } from '../../../contract/messages.ts'
import type { StepRequest } from '../../../core/base/index.ts'
import { shorten } from '../../../lib/shorten.ts'
import { hasTool, type MadeCall, type Move, madeIn, saidBy } from './log.ts'
import { fileFor, type GivenNode, pageFor, preferences, returnedLines, summaryFor } from './pages.ts'

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
  const memory = askedToReflect(since)
  if (memory !== undefined) return reflect(request, given, memory, made)
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
const BEFORE = /^- (node_[0-9a-f]+) "(.+)", by /gm

function givenIn({ role, from, parts }: Message): GivenNode | undefined {
  const text = role === 'user' && from?.kind === 'system' ? textOf(parts) : ''
  const [, id, title = '', goal = ''] = NODE.exec(text) ?? []
  const before = [...text.matchAll(BEFORE)].map(([, known = '', named = '']) => ({ id: known, title: named }))
  return id === undefined ? undefined : { id, title, goal, before }
}

const REFLECTS = /You have published [\s\S]*?(workers\/\S+\/memory\.md)/

/** Where it is to note what it learned, if it was asked that last. */
function askedToReflect(since: readonly Message[]): string | undefined {
  const newest = since.findLast(({ role }) => role === 'user')
  return newest?.from?.kind === 'system' ? REFLECTS.exec(textOf(newest.parts))?.[1] : undefined
}

function reflect(request: StepRequest, given: GivenNode, path: string, made: readonly MadeCall[]): Move {
  const isNoted = made.some(({ input }) => input.path === path)
  if (isNoted || !hasTool(request, 'write_file')) return { said: 'Noted.' }
  const content = `- ${given.title}: ${fileFor(given.title)} was enough; a page one can read in a minute.\n`
  return { said: 'I note what helps next time.', call: { name: 'write_file', input: { path, content } } }
}

/** Who of the others asked something, and waits for words. */
const questionIn = (since: readonly Message[]): string | undefined =>
  saidBy(since, 'agent')
    .map((text) => /^([A-Z]\w+) here\b.*\?$/s.exec(text.trim())?.[1])
    .findLast((name) => name !== undefined)

const answer = (to: string, made: readonly MadeCall[]) => ({
  name: 'agent_send',
  input: { to, message: `I see this: ${shorten(returnedLines(made, 'list_dir')[0] ?? 'a folder', 200)}.` },
})

const count = (made: readonly MadeCall[], tool: string): number => made.filter(({ name }) => name === tool).length

/** All that a node takes, in its order; what there is no tool for is left out. */
function actsFor(given: GivenNode, made: readonly MadeCall[], request: StepRequest): Act[] {
  const { file, before } = partOf(given, request)
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
  readonly before: readonly Act[]
  readonly file: string
}

function partOf({ title, goal, before }: GivenNode, request: StepRequest): DemoPart {
  const file = fileFor(title)
  if (title.startsWith('Collect'))
    return {
      file,
      before: [{ tool: 'list_dir', said: 'I look at what is there.', input: { path: '.' } }],
    }
  if (title.startsWith('Weigh')) {
    const question = `What matters most to you about "${shorten(goal, 80)}"?`
    return {
      file,
      before: [
        { tool: 'ask_human', said: 'That is for the person to say.', input: { question, options: preferences } },
        { tool: 'suggest_next', said: '', input: { suggestion: 'Try the chosen way on something small first.' } },
      ],
    }
  }
  if (title.startsWith('Draft'))
    return {
      file,
      before: [
        { tool: 'agent_send', said: 'I ask Ada first.', input: { to: 'Ada', message: 'Cleo here: what do you see?' } },
      ],
    }
  return { file, before: title.startsWith('Bring') ? before.map((node) => reading(node, request)) : [] }
}

/** What another node handed over is read by its name where it has one, else from its folder. */
function reading({ id, title }: { readonly id: string; readonly title: string }, request: StepRequest): Act {
  const file = fileFor(title)
  if (hasTool(request, 'read_ref')) return { tool: 'read_ref', said: '', input: { name: file.replace('.md', '') } }
  return { tool: 'read_file', said: '', input: { path: `nodes/${id}/published/${file}` } }
}
