import type { Delta } from '../../contract/events.ts'

/** What is being written right now, so that whoever begins to listen in the middle gets its beginning too. */
interface Written {
  add(delta: Delta): void
  /** It is complete or was given up: from here on the log tells of it. */
  end(attempt: string): void
  /** One delta for each text, with all of it that is kept. */
  soFar(): Delta[]
}

/** Characters of one text. Of a longer one the end is kept, and its offset says how much is missing before it. */
const KEPT = 128 * 1024

export function createWritten(limit = KEPT): Written {
  const open = new Map<string, Map<Delta['kind'], Delta>>()
  return {
    add(delta) {
      const texts = open.get(delta.attempt) ?? new Map<Delta['kind'], Delta>()
      open.set(delta.attempt, texts)
      const before = texts.get(delta.kind)
      const { offset } = before ?? delta
      texts.set(delta.kind, shortened({ ...delta, offset, text: (before?.text ?? '') + delta.text }, limit))
    },
    end: (attempt) => void open.delete(attempt),
    soFar: () =>
      open
        .values()
        .toArray()
        .flatMap((texts) => texts.values().toArray()),
  }
}

/** It may grow to twice the limit, so that not every piece copies it. */
function shortened(delta: Delta, limit: number): Delta {
  const over = delta.text.length - limit
  if (over <= limit) return delta
  // A slice alone would keep the whole text in memory.
  const text = Buffer.from(delta.text.slice(over), 'utf16le').toString('utf16le')
  return { ...delta, offset: delta.offset + over, text }
}
