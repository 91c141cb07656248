import { setTimeout as pause } from 'node:timers/promises'
import { callsOf, type Message, type Part, textOf } from '../../../contract/messages.ts'
import type { StepRequest, StepResult } from '../../../core/base/index.ts'
import { newId } from '../../../lib/ids.ts'
import { coordinate, coordinates } from './coordinator.ts'
import { begin, type Move, resultFor } from './log.ts'
import { abilities, planFor } from './plan.ts'
import { work, worksInRun } from './worker.ts'

const LABEL = '(scripted demo model)'
const QUOTED = 1500
const SEVERAL_LINES = 4

/**
 * Plays a member of a team by script: it reads the last message, does with the real tools what it recognises, one call a
 * step, and says what came of it. The same log gives the same words.
 */
export async function demoStep(request: StepRequest, delayMs: number): Promise<StepResult> {
  const { said, call } = nextMove(request)
  const first = !request.history.some(
    (message) => message.role === 'assistant' && textOf(message.parts).includes(LABEL),
  )
  const text = first && !NAMES.test(request.system) ? `${LABEL} ${said}` : said
  const spoken = await speak(text, request, delayMs)
  const parts: Part[] = spoken === '' ? [] : [{ type: 'text', text: spoken }]
  const tokens = { input: roughTokens(request), output: Math.ceil(spoken.length / 4), cached: 0, reasoning: 0 }
  if (request.signal.aborted) return { parts, tokens, costUsd: 0, finish: 'aborted' }
  if (!call) return { parts, tokens, costUsd: 0, finish: 'stop' }
  const callId = newId('call')
  parts.push({ type: 'tool-call', callId, vendorCallId: callId, name: call.name, input: call.input })
  return { parts, tokens, costUsd: 0, finish: 'tool-calls' }
}

function nextMove(request: StepRequest): Move {
  const { system, history, tools } = request
  if (SUMS_UP.test(system)) return { said: summary(textOf(history[0]?.parts ?? [])) }
  if (NAMES.test(system)) return { said: name(textOf(history[0]?.parts ?? [])) }
  if (coordinates(request)) return coordinate(request)
  if (worksInRun(request)) return work(request)
  const asked = history.findLastIndex((message) => message.role === 'user' && textOf(message.parts).trim() !== '')
  if (asked === -1) return { said: `Hello. ${abilities(tools)}` }
  const plan = planFor(textOf((history[asked] as Message).parts))
  if (!plan) return { said: abilities(tools) }

  const since = history.slice(asked + 1)
  const made = since.flatMap((message) => (message.role === 'assistant' ? callsOf(message.parts) : []))
  const results = made.map(({ callId }) => resultFor(since, callId))
  const last = results.at(-1)
  if (last?.error) {
    return { said: `That did not work: ${quote(last.output)}\nI leave it there; tell me how to go on.` }
  }
  const act = plan[made.length]
  if (act) return begin(request, act.tool, act.input, act.saying)
  const told = plan.flatMap(({ done }, at) => (done ? [{ done, text: quote(results[at]?.output) }] : []))
  const lines = told.length > 1 ? SEVERAL_LINES : Number.POSITIVE_INFINITY
  return { said: told.map(({ done, text }) => `${done}\n${beginning(text, lines)}`).join('\n\n') }
}

/** Asked to sum up a conversation, it repeats its last lines: it has no better words. */
const SUMS_UP = /^You sum up/
const SUMMED_LINES = 20
const SUMMED_CHARS = 150

const summary = (text: string): string =>
  text
    .split('\n')
    .filter((line) => line.startsWith('['))
    .slice(-SUMMED_LINES)
    .map((line) => line.slice(0, SUMMED_CHARS))
    .join('\n') || 'Nothing was said.'

/** Asked for a title, it has the first words of the goal. */
const NAMES = /^You name/
const NAMED_WORDS = 6

const name = (text: string): string =>
  text
    .replace(/<\/?goal>/g, ' ')
    .trim()
    .split(/\s+/)
    .slice(0, NAMED_WORDS)
    .join(' ')

/** Whoever has several results to tell is short with each: all of it was handed back already. */
function beginning(text: string, lines: number): string {
  const all = text.split('\n')
  return all.length > lines ? `${all.slice(0, lines).join('\n')}\n… and ${all.length - lines} more lines` : text
}

/** Says the text piece by piece, as a model would; what was said before an abort comes back. */
async function speak(text: string, { signal, onDelta }: StepRequest, delayMs: number): Promise<string> {
  let spoken = ''
  for (const piece of text.match(/\S+\s*/g) ?? []) {
    if (signal.aborted) break
    onDelta('text', piece)
    spoken += piece
    if (delayMs > 0) await pause(delayMs, undefined, { signal }).catch(() => {})
  }
  return spoken
}

function quote(output: unknown): string {
  const { response, output: handed, outcome, session } = (output ?? {}) as Record<string, unknown>
  const said = response ?? handed ?? (outcome ? `${outcome}${session ? ` (session ${session})` : ''}` : output)
  const text = (typeof said === 'string' ? said : (JSON.stringify(said) ?? '')).replace(`${LABEL} `, '')
  if (text.trim() === '') return '(nothing)'
  return text.length > QUOTED ? `${text.slice(0, QUOTED)}\n… (the rest is in the tool's result)` : text
}

/** Four characters a token, over what a model would have been sent last. */
const roughTokens = ({ system, history }: StepRequest): number =>
  Math.ceil((system.length + history.slice(-20).reduce((sum, message) => sum + textOf(message.parts).length, 0)) / 4)
