import { callsOf, type Message, textOf } from '../../../contract/messages.ts'
import type { StepRequest } from '../../../core/base/index.ts'
import { shorten } from '../../../lib/shorten.ts'
import { begin, type MadeCall, type Move, madeIn, saidBy, wordsIn } from './log.ts'

/** The three who begin, and what each of them does. The words of a task are what the demo of a worker goes by. */
const team = [
  {
    name: 'Ada',
    agent: 'coder',
    task: 'Collect what is there',
    wanted: 'facts.md: what the project holds that matters for the goal, a line for each.',
  },
  {
    name: 'Ben',
    agent: 'assistant',
    task: 'Weigh the options',
    wanted: 'options.md: what can be done, and which of it the person prefers. Ask them.',
  },
  {
    name: 'Cleo',
    agent: 'writer',
    task: 'Draft the opening',
    wanted: 'opening.md: one paragraph that says what this is about. Ask Ada what she sees.',
  },
] as const

const LAST = { name: 'Cleo', task: 'Bring it together', file: 'report.md' } as const
const GOAL_CHARS = 300

/** Whoever has the tool that ends a run coordinates it. */
export const coordinates = ({ tools }: StepRequest): boolean => tools.some(({ name }) => name === 'finish')

/** Plays the coordinator of a run: three side by side, a stage, and one who brings their results together. */
export function coordinate(request: StepRequest): Move {
  const { since, goal, again } = piece(request.history)
  if (goal === undefined) return waiting(since, 'I go on when I am called.')
  const made = madeIn(since)
  const go = (name: string, input: object, said: string): Move => begin(request, name, input, said)

  const failed = made.find((call) => call.failed)
  if (failed)
    return go(
      'finish',
      { summary: `The demo cannot go on: ${shorten(wordsIn(failed.output), 200)}` },
      'That did not work.',
    )
  const hired = again ? undefined : team[callsTo(made, 'spawn_worker').length]
  if (hired)
    return go(
      'spawn_worker',
      { name: hired.name, agent: hired.agent, model: 'demo/demo' },
      hired === team[0] ? PLAN : '',
    )

  const ids = callsTo(made, 'create_work_node').map(({ output }) => String((output as { nodeId?: unknown })?.nodeId))
  const given = team[ids.length]
  if (given) return go('create_work_node', { task: taskFor(given, goal), worker: given.name }, `${given.name} begins.`)
  if (callsTo(made, 'start_stage').length === 0)
    return go('start_stage', { name: 'Three views', nodes: ids }, 'I want to hear of the three together.')

  const news = saidBy(since, 'system').join('\n')
  const [first, second] = [ids.slice(0, team.length), ids[team.length]]
  if (!first.every((id) => news.includes(id))) return waiting(since, 'Three are at work. I go on when they are done.')
  if (callsTo(made, 'reconvene').length === 0)
    return go('reconvene', { assessment: assessmentOf(news) }, 'All are back.')
  if (second === undefined) return go('create_work_node', synthesis(request, goal, first, news), 'One page of it.')
  if (!news.includes(second)) return waiting(since, 'Cleo brings it together.')
  return go('finish', { summary: summaryOf(goal, second, news) }, 'That is the result.')
}

const PLAN = 'I have it looked at from three sides at once, and brought together afterwards.'

interface Piece {
  readonly since: readonly Message[]
  readonly goal: string | undefined
  /** It is not the first cycle: the team is there. */
  readonly again: boolean
}

const CALLED = /(Cycle \d+ of the run begins|Your run \S+ has begun)[\s\S]*\nThe goal: ([\s\S]+)/

/** The log since it was given a goal or called to go on: a session may have led a run, or a cycle of it, before. */
function piece(history: readonly Message[]): Piece {
  const ended = history.findLastIndex(
    ({ role, parts }) => role === 'assistant' && callsOf(parts).some(({ name }) => name === 'finish'),
  )
  const left = history.slice(ended + 1)
  const calledAt = left.findLastIndex(({ role, from, parts }) => role === 'user' && isCall(from?.kind, parts))
  if (calledAt !== -1) {
    const [, how, goal] = CALLED.exec(textOf(left[calledAt]!.parts))!
    return { since: left.slice(calledAt), goal, again: how!.startsWith('Cycle') }
  }
  const given = left.findIndex(({ role, from }) => role === 'user' && from?.kind === 'human')
  if (given === -1 || isBetweenCycles(history, ended)) return { since: left, goal: undefined, again: true }
  return { since: left.slice(given), goal: saidBy(left, 'human')[0], again: false }
}

const isCall = (kind: string | undefined, parts: Message['parts']): boolean =>
  kind === 'system' && CALLED.test(textOf(parts))

/** What it ended last was a cycle of a run that goes on. */
const isBetweenCycles = (history: readonly Message[], ended: number): boolean =>
  ended !== -1 &&
  madeIn(history.slice(ended)).some(
    ({ name, output }) => name === 'finish' && (output as { status?: unknown } | undefined)?.status !== 'finished',
  )

const callsTo = (made: readonly MadeCall[], name: string): MadeCall[] => made.filter((call) => call.name === name)

const taskFor = ({ task, wanted }: { readonly task: string; readonly wanted: string }, goal: string): string =>
  [
    task,
    `Goal: ${shorten(goal, GOAL_CHARS)}`,
    `Produce ${wanted}`,
    'It is good when one can read it in a minute.',
  ].join('\n')

const assessmentOf = (news: string): string =>
  `The three fit together; one page remains to be made of them.${/suggest/i.test(news) ? ' What was suggested goes into it.' : ''}`

/** What did not finish is not waited for. */
function synthesis(request: StepRequest, goal: string, first: readonly string[], news: string): object {
  const dependsOn = first.filter((id) => new RegExp(`${id} "[^\\n]*" \\([^)]*\\) finished`).test(news))
  const wanted = `${LAST.file}: what the others found, in one page.`
  const task = taskFor({ task: LAST.task, wanted }, goal)
  const { properties = {} } = (request.tools.find(({ name }) => name === 'create_work_node')?.inputSchema ?? {}) as {
    properties?: Record<string, unknown>
  }
  const refs = Object.fromEntries(dependsOn.map((id, at) => [['facts', 'options', 'opening'][at]!, id]))
  return { task, worker: LAST.name, dependsOn, ...('refs' in properties ? { refs } : {}) }
}

/** Nothing is to be done. A person who wrote meanwhile gets an answer. */
function waiting(since: readonly Message[], words: string): Move {
  const last = since.findLast(({ role }) => role === 'user')
  const [, ...later] = saidBy(since, 'human')
  if (last?.from?.kind !== 'human' || later.length === 0) return { said: words }
  return { said: `I heard you: "${shorten(textOf(last.parts), 100)}". ${words}` }
}

function summaryOf(goal: string, last: string, news: string): string {
  const line = news.split('\n').findLast((text) => text.includes(last)) ?? ''
  const said = / finished: ([^[]*)/.exec(line)?.[1]?.trim()
  const title = shorten(goal.split('\n', 1)[0]!, 80)
  return said === undefined ? `Not all of "${title}" could be done. ${line}` : `"${title}" is looked into. ${said}`
}
