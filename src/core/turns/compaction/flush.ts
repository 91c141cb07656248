import { callsOf, type Message, type Part, type ToolCallPart, type ToolResultPart } from '../../../contract/messages.ts'
import { iso } from '../../../lib/clock.ts'
import { maskDeep } from '../../../lib/mask.ts'
import { readFlush } from '../../../store/compactions.ts'
import { messageId } from '../../../store/messages.ts'
import type { CompactionRow } from '../../../store/tables.ts'
import type { Tool, ToolOutput } from '../../base/index.ts'
import { hasMemory } from '../../memory/index.ts'
import { judge, runTool } from '../../permissions/index.ts'
import { schemaOf } from '../../tools/index.ts'
import { contextFor } from '../context.ts'
import { hooksIn } from '../hooked.ts'
import { logRefusal } from '../refusals.ts'
import { judgeIn, type Turn } from '../turn.ts'
import { askFor } from './ask.ts'
import { cutPoints } from './cut-points.ts'
import { ASSUMED_WINDOW, fixedTokens, tokensFrom } from './size.ts'
import { noteCompaction } from './steps.ts'

/** So many calls are run. */
const CALLS = 3
/** The part of the window that the agent reads meanwhile. */
const READS = 0.7
const OUTPUT_TOKENS = 4000

const WORDS = `The older messages of this session are about to be replaced by a summary. With the memory tools, write now what must last beyond this session and is not in memory yet: facts, decisions, preferences, lessons, in a line or two each. You have ${CALLS} calls of memory tools for it, and nothing else. If nothing must last, say so in a word.`

interface Round {
  readonly parts: Part[]
  /** Undefined until the calls have run. */
  readonly results?: ToolResultPart[]
}

interface Flush {
  readonly done?: true
  readonly rounds?: Round[]
}

/** Before messages are summed up, the agent may write to memory. What goes wrong here keeps nothing from going on. */
export async function flush(turn: Turn, row: CompactionRow, deadline: number): Promise<'stopped' | undefined> {
  const tools = memoryTools(turn)
  const writes = [...tools.values()].some(({ capabilities }) => capabilities.includes('memory.write'))
  const history = writes && hasMemory(turn.core, turn.project) ? readable(turn, row) : undefined
  if (history === undefined) return undefined
  for (;;) {
    const { done, rounds = [] } = readFlush(row) as Flush
    const last = rounds.at(-1)
    if (done) return undefined
    if (last !== undefined && last.results === undefined) {
      const results: ToolResultPart[] = []
      for (const call of callsOf(last.parts))
        results.push(await runCall(turn, tools, call, { turnId: row.turn_id, deadline }))
      if (turn.stop.signal.aborted) return 'stopped'
      await note(turn, row, { rounds: [...rounds.slice(0, -1), { parts: last.parts, results }] })
      continue
    }
    const left = CALLS - rounds.flatMap(({ parts }) => callsOf(parts)).length
    const answer =
      left <= 0
        ? { parts: [], used: undefined }
        : await askFor(turn, row, {
            system: turn.setup.prompt,
            history: [...history, ...said(row, rounds)],
            tools: [...tools.values()].map((tool) => schemaOf(tool)),
            maxOutputTokens: OUTPUT_TOKENS,
          })
    if (answer === 'stopped') return answer
    const parts = 'problem' in answer ? [] : firstCalls(answer.parts, left)
    const over = callsOf(parts).length === 0
    await note(turn, row, over ? { done: true, rounds } : { rounds: [...rounds, { parts }] }, answer.used)
  }
}

const note = (turn: Turn, row: CompactionRow, flush: Flush, used?: Parameters<typeof noteCompaction>[3]) =>
  // What is kept holds no secrets, so what is run holds none either: it may have to be run again from here.
  noteCompaction(turn, row, { flush: JSON.stringify(maskDeep(turn.core.mask, flush)) }, used)

/** What hooks have to be heard about is left out: none run here. */
const memoryTools = (turn: Turn): Map<string, Tool> =>
  new Map(
    [...turn.setup.judge.tools].filter(
      ([name, { capabilities, origin }]) =>
        origin === undefined &&
        capabilities.length > 0 &&
        capabilities.every((one) => one.startsWith('memory.')) &&
        [...hooksIn(turn, 'beforeTool', name), ...hooksIn(turn, 'afterTool', name)].length === 0,
    ),
  )

/** Nobody is asked: what a person would have to approve is refused. */
async function runCall(
  turn: Turn,
  tools: ReadonlyMap<string, Tool>,
  { callId, vendorCallId, name, input }: ToolCallPart,
  { turnId, deadline }: { turnId: string; deadline: number },
): Promise<ToolResultPart> {
  const by = { ...judgeIn(turn), tools, unattended: 'deny' as const }
  const result = ({ output, error }: ToolOutput): ToolResultPart => ({
    type: 'tool-result',
    callId,
    vendorCallId,
    name,
    output,
    ...(error ? { error } : {}),
  })
  const verdict = await judge(by, { name, input })
  const tool = tools.get(name)
  if (verdict.verdict === 'refuse' || tool === undefined) {
    logRefusal(turn, name, verdict.because)
    return result({ output: verdict.because, error: true })
  }
  const context = contextFor(turn, { callId, turnId, tool, by, verdict, deadline }, () => {})
  const done = await runTool(tool, input, context, (because) => logRefusal(turn, name, because))
  return result('park' in done ? { output: 'This cannot be waited for now.', error: true } : done)
}

/** Text and as many calls as are left. */
function firstCalls(parts: readonly Part[], left: number): Part[] {
  const kept = new Set(callsOf(parts).slice(0, left))
  return parts.filter((part) => part.type === 'text' || (part.type === 'tool-call' && kept.has(part)))
}

/** The newest part of the history that fits; undefined where not even the last step does. */
function readable(turn: Turn, row: CompactionRow): Message[] | undefined {
  const { messages } = turn.history
  const room = READS * (turn.window ?? ASSUMED_WINDOW) - fixedTokens(turn).prompt
  const sizeFrom = tokensFrom(messages)
  const from = [0, ...cutPoints(messages)].find((at) => sizeFrom(at) <= room)
  if (from === undefined) return undefined
  return [...messages.slice(from), told(row, { role: 'system', from: { kind: 'system' }, parts: [text(WORDS)] })]
}

const said = (row: CompactionRow, rounds: readonly Round[]): Message[] =>
  rounds.flatMap(({ parts, results = [] }) => [
    told(row, { role: 'assistant', parts }),
    ...results.map((part) => told(row, { role: 'tool', parts: [part] })),
  ])

const told = (row: CompactionRow, message: Pick<Message, 'role' | 'parts' | 'from'>): Message => ({
  id: messageId(row.session_id, row.at_seq),
  seq: row.at_seq,
  ...message,
  createdAt: iso(row.started_at),
})

const text = (words: string): Part => ({ type: 'text', text: words })
