import { createHash } from 'node:crypto'
import type { Message } from '../../contract/messages.ts'
import type { NewMessage } from '../../store/messages.ts'

export const REMIND_AT = 3
export const STOP_AT = 5

/**
 * Counts, over one turn, in how many steps the same call with the same input brought the same result; successes count too.
 * Equal calls of one step count once, because the model had seen no result when it made them.
 */
export interface Repeats {
  /** Takes in what was appended; returns the highest count among the results of the newest step. */
  observe(messages: readonly Message[]): number
  copy(): Repeats
}

interface Seen {
  readonly inputs: ReadonlyMap<string, unknown>
  readonly counts: ReadonlyMap<string, number>
  readonly counted: ReadonlySet<string>
  readonly most: number
}

export function createRepeats(seen?: Seen): Repeats {
  const inputs = new Map(seen?.inputs)
  const counts = new Map(seen?.counts)
  const counted = new Set(seen?.counted)
  let most = seen?.most ?? 0
  return {
    copy: () => createRepeats({ inputs, counts, counted, most }),
    observe(messages) {
      for (const message of messages) {
        if (message.role === 'assistant') {
          most = 0
          counted.clear()
        }
        for (const part of message.parts) {
          if (part.type === 'tool-call') inputs.set(part.callId, part.input)
          if (part.type !== 'tool-result') continue
          const key = fingerprint(part.name, inputs.get(part.callId), part.output)
          const times = (counts.get(key) ?? 0) + (counted.has(key) ? 0 : 1)
          counted.add(key)
          counts.set(key, times)
          most = Math.max(most, times)
        }
      }
      return most
    },
  }
}

/** Cosmetic differences in the input do not make it another call. */
const fingerprint = (name: string, input: unknown, output: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify([name, normal(input), output]))
    .digest('base64url')

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

/** Told to the model when it repeats itself. */
export const reminder = (turnId: string): NewMessage => ({
  role: 'system',
  from: { kind: 'system' },
  turnId,
  parts: [
    {
      type: 'text',
      text: `You have made the same call ${REMIND_AT} times or more with the same result. Do something else, or say what blocks you; at ${STOP_AT} times the turn is stopped.`,
    },
  ],
})
