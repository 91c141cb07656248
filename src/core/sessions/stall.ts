import { createHash } from 'node:crypto'
import { callsOf, type Message, type ToolCallPart } from '../../contract/messages.ts'

export const REMIND_AT = 3
export const STOP_AT = 5

/** A call and its result as one short text; cosmetic differences in the input do not make it another call. */
const fingerprint = (name: string, input: unknown, output: unknown): string =>
  createHash('sha256').update(JSON.stringify([name, normal(input), output])).digest('base64url')

export const fingerprintOf = (call: { name: string; input: string }, output: unknown): string =>
  fingerprint(call.name, JSON.parse(call.input), output)

/** Counts again, after a restart, what the open turn has repeated so far. */
export function repeatsIn(messages: readonly Message[], turnId: string | null): Map<string, number> {
  const repeats = new Map<string, number>()
  if (turnId === null) return repeats
  const calls = new Map<string, ToolCallPart>()
  const first = messages.findLastIndex((message) => message.turnId !== turnId) + 1
  for (const message of messages.slice(first)) {
    for (const call of callsOf(message.parts)) calls.set(call.callId, call)
    for (const part of message.parts) {
      const call = part.type === 'tool-result' ? calls.get(part.callId) : undefined
      if (part.type === 'tool-result' && call) count(repeats, fingerprint(call.name, call.input, part.output))
    }
  }
  return repeats
}

export function count(repeats: Map<string, number>, key: string): number {
  const times = (repeats.get(key) ?? 0) + 1
  repeats.set(key, times)
  return times
}

function normal(value: unknown): unknown {
  if (typeof value === 'string') return value.trim().replace(/\s+/g, ' ')
  if (Array.isArray(value)) return value.map(normal)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, entry]) => [key, normal(entry)]),
  )
}
