import { type AgentResult, outcomesIn, resultInWords } from '../../client/outcomes.ts'
import { foldText, nothingYet, type TextSoFar } from '../../client/writing.ts'
import type { Delta } from '../../contract/events.ts'
import { callsOf, type Message } from '../../contract/messages.ts'
import { headTail } from '../../lib/text.ts'
import { tame } from './cells.ts'

export interface ShownCall {
  readonly id: string
  readonly name: string
  /** The whole input once the log has it; until then its beginning. */
  input: unknown
  /** When the call began to run, not when it asked for permission. */
  startedAt: number
  state: 'running' | 'waiting' | 'done' | 'failed' | 'denied'
  durationMs?: number
  /** Why it failed, in one line. */
  problem?: string
  output: string
  /** What it printed so far, as it came. */
  printed?: TextSoFar
  /** The sessions that work for it. */
  sessions?: readonly string[]
  /** What those made of it, once the log has its result. */
  outcomes?: readonly AgentResult[]
}

/** The calls of one stretch of work: everything between two texts of the agent. */
export interface Calls {
  readonly group: readonly ShownCall[]
  /** The last stretches, the newest last, for whoever wants to look closer. */
  readonly past: readonly (readonly ShownCall[])[]
  started(id: string, name: string, preview: string, now: number): void
  waits(id: string, name: string, now: number): void
  /** Other sessions work for the call, which waits for them. */
  handed(id: string, sessions: readonly string[]): void
  printed(delta: Delta): void
  ended(id: string, end: { ok: boolean; durationMs?: number; problem: string }): void
  denied(id: string, name: string, reason: string, now: number): void
  /** A message of the log, which has the inputs and outputs of calls in full. */
  logged(message: Message): void
  /** Ends the stretch and returns its calls, if any. */
  close(): readonly ShownCall[]
}

const KEPT_GROUPS = 10
const KEPT_CALLS = 200
const KEPT_OUTPUT = 16_000

export function createCalls(): Calls {
  const known = new Map<string, ShownCall>()
  const inputs = new Map<string, unknown>()
  let group: ShownCall[] = []
  let past: (readonly ShownCall[])[] = []

  function add(id: string, name: string, input: unknown, now: number): ShownCall {
    const found = known.get(id)
    if (found) return found
    const call: ShownCall = { id, name, input: inputs.get(id) ?? input, startedAt: now, state: 'running', output: '' }
    known.set(id, call)
    group.push(call)
    bound(known)
    return call
  }

  return {
    get group() {
      return group
    },
    get past() {
      return past
    },
    started(id, name, preview, now) {
      const call = add(id, name, parsed(preview), now)
      if (call.state === 'waiting') call.startedAt = now
      call.state = 'running'
    },
    waits(id, name, now) {
      add(id, name, '', now).state = 'waiting'
    },
    handed(id, sessions) {
      const call = known.get(id)
      if (call) call.sessions = sessions
    },
    printed(delta) {
      const call = known.get(delta.attempt)
      if (!call) return
      call.printed = foldText(call.printed ?? nothingYet, delta, KEPT_OUTPUT)
      call.output = tame(call.printed.text)
    },
    ended(id, { ok, durationMs, problem }) {
      const call = known.get(id)
      if (!call) return
      call.state = ok ? 'done' : call.state === 'denied' ? 'denied' : 'failed'
      if (durationMs !== undefined) call.durationMs = durationMs
      if (!ok) call.problem ??= problem
    },
    denied(id, name, reason, now) {
      const call = add(id, name, '', now)
      call.state = 'denied'
      call.problem = reason
    },
    logged(message) {
      for (const { callId, input } of callsOf(message.parts)) {
        inputs.set(callId, input)
        const call = known.get(callId)
        if (call) call.input = input
      }
      bound(inputs)
      for (const part of message.parts) {
        const call = part.type === 'tool-result' ? known.get(part.callId) : undefined
        if (!call || part.type !== 'tool-result') continue
        call.output = shorten(resultInWords(part.output))
        call.outcomes = outcomesIn(part.output)
      }
    },
    close() {
      const closed = group
      group = []
      if (closed.length > 0) past = [...past, closed].slice(-KEPT_GROUPS)
      return closed
    },
  }
}

/** The end of a call that others work for is told by its result too, which comes a moment later. */
export const isOpenCall = ({ state, sessions, outcomes }: ShownCall): boolean =>
  state === 'running' || (sessions !== undefined && outcomes === undefined)

function bound(map: Map<string, unknown>): void {
  for (const key of map.keys()) {
    if (map.size <= KEPT_CALLS) return
    map.delete(key)
  }
}

function parsed(preview: string): unknown {
  try {
    return JSON.parse(preview)
  } catch {
    return preview
  }
}

function shorten(output: string): string {
  const kept = headTail(KEPT_OUTPUT)
  kept.push(output)
  return tame(kept.text())
}
