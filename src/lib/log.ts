import { appendFileSync, readFileSync, renameSync, statSync } from 'node:fs'
import { visibleJson } from './hidden.ts'

type Level = 'debug' | 'info' | 'warn' | 'error'

export type Log = (level: Level, message: string, fields?: Record<string, unknown>) => void

interface LogFile {
  readonly file: string
  now(): number
  mask(text: string): string
  /** A line with such a message goes over into the next file, so that no flood of others turns it out. */
  keeps?(message: string): boolean
  readonly limit?: number
}

const FILE_LIMIT = 10 * 1024 * 1024

/** Writes one JSON object a line. Past the limit a new file begins; one older file is kept. */
export function fileLog({ file, now, mask, keeps, limit = FILE_LIMIT }: LogFile): Log {
  const older = `${file}.1`
  let size = sizeOf(file)
  return (level, message, fields) => {
    const at = new Date(now()).toISOString()
    const line = `${visibleJson(mask(JSON.stringify({ at, level, message, ...fields })))}\n`
    try {
      if (size > limit) rotate()
      appendFileSync(file, line, { mode: 0o600 })
      size += line.length
    } catch {
      // The disk is full or the folder is gone: a line that cannot be logged must not stop the work itself.
    }
  }

  function rotate(): void {
    const kept = keeps === undefined ? '' : keptLines([older, file], keeps, limit / 4)
    renameSync(file, older)
    size = 0
    if (kept === '') return
    appendFileSync(file, kept, { mode: 0o600 })
    size = kept.length
  }
}

/** The newest of them. Both files are read: after a crash between the renaming and the writing they are in the older one. */
function keptLines(files: readonly string[], keeps: (message: string) => boolean, limit: number): string {
  const lines = new Set(files.flatMap((file) => (sizeOf(file) === 0 ? [] : readFileSync(file, 'utf8').split('\n'))))
  const kept = [...lines].filter((line) => {
    const message = /^\{"at":"[^"]*","level":"\w+","message":"([^"\\]*)"/.exec(line)?.[1]
    return message !== undefined && keeps(message)
  })
  let text = ''
  for (const line of kept.reverse()) {
    if (text.length + line.length >= limit) break
    text = `${line}\n${text}`
  }
  return text
}

export const noLog: Log = () => {}

function sizeOf(file: string): number {
  try {
    return statSync(file).size
  } catch {
    return 0
  }
}
