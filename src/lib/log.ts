import { appendFileSync, renameSync, statSync } from 'node:fs'
import { visibleJson } from './hidden.ts'

export type Level = 'debug' | 'info' | 'warn' | 'error'

export type Log = (level: Level, message: string, fields?: Record<string, unknown>) => void

const FILE_LIMIT = 10 * 1024 * 1024

/** Writes one JSON object a line. Past 10 MB a new file begins; one older file is kept. */
export function fileLog(file: string, now: () => number, mask: (text: string) => string): Log {
  let size = sizeOf(file)
  return (level, message, fields) => {
    const line = `${visibleJson(mask(JSON.stringify({ at: new Date(now()).toISOString(), level, message, ...fields })))}\n`
    try {
      if (size > FILE_LIMIT) {
        renameSync(file, `${file}.1`)
        size = 0
      }
      appendFileSync(file, line, { mode: 0o600 })
      size += line.length
    } catch {
      // The disk is full or the folder is gone: a line that cannot be logged must not stop the work itself.
    }
  }
}

export const noLog: Log = () => {}

function sizeOf(file: string): number {
  try {
    return statSync(file).size
  } catch {
    return 0
  }
}
