import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** What was typed before in this project, the oldest first. */
export interface InputHistory {
  add(text: string): void
  /** Moves one step from the entry shown last; undefined at the ends. After the newest entry comes `draft` again. */
  older(draft: string): string | undefined
  younger(): string | undefined
  /** The person types again, so the next step begins at the newest entry. */
  forget(): void
}

const KEPT = 500
/** Longer texts are not remembered. */
const LONGEST = 4096

export function openHistory(home: string, project: string): InputHistory {
  const file = join(home, 'chat', `${createHash('sha256').update(project).digest('hex').slice(0, 16)}.jsonl`)
  let entries = read(file)
  let at = entries.length
  let draft = ''

  return {
    add(text) {
      at = entries.length
      if (text.length > LONGEST || entries.at(-1) === text) return
      // Another chat of the same project may have written since.
      entries = [...read(file), text].slice(-KEPT)
      at = entries.length
      write(file, entries)
    },
    older(current) {
      if (at === 0) return undefined
      if (at === entries.length) draft = current
      at -= 1
      return entries[at]
    },
    younger() {
      if (at === entries.length) return undefined
      at += 1
      return at === entries.length ? draft : entries[at]
    },
    forget() {
      at = entries.length
    },
  }
}

function read(file: string): string[] {
  try {
    const lines = readFileSync(file, 'utf8').split('\n')
    return lines.flatMap(entryOf).slice(-KEPT)
  } catch {
    return []
  }
}

function entryOf(line: string): string[] {
  try {
    const entry: unknown = JSON.parse(line)
    return typeof entry === 'string' ? [entry] : []
  } catch {
    return []
  }
}

/** History is a convenience: a full or read-only disk must not end the conversation. */
function write(file: string, entries: readonly string[]): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    const beside = `${file}.${process.pid}`
    writeFileSync(beside, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''), { mode: 0o600 })
    renameSync(beside, file)
  } catch {}
}
