import { appendFileSync, readFileSync, renameSync, statSync } from 'node:fs'
import { visibleJson } from './hidden.ts'

type Level = 'debug' | 'info' | 'warn' | 'error'

export type Log = (level: Level, message: string, fields?: Record<string, unknown>) => void

interface LogFile {
  readonly file: string
  now(): number
  mask(text: string): string
  /**
   * Lines with such messages go over into the next file, so that no flood of others turns them out: the newest of each
   * kind, up to a quarter of a file.
   */
  readonly keeps?: readonly RegExp[]
  readonly limit?: number
}

const FILE_LIMIT = 10 * 1024 * 1024

/** Writes one JSON object a line. Past the limit a new file begins; one older file is kept. */
export function fileLog({ file, now, mask, keeps = [], limit = FILE_LIMIT }: LogFile): Log {
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
    const kept = keeps.length === 0 ? '' : keptLines([older, file], keeps, limit / 4)
    renameSync(file, older)
    size = 0
    if (kept === '') return
    appendFileSync(file, kept, { mode: 0o600 })
    size = kept.length
  }
}

/** Both files are read: after a crash between the renaming and the writing the lines are in the older one. */
function keptLines(files: readonly string[], kinds: readonly RegExp[], limit: number): string {
  const lines = new Set(files.flatMap((file) => (sizeOf(file) === 0 ? [] : readFileSync(file, 'utf8').split('\n'))))
  const left = kinds.map((kind) => ({ kind, room: limit }))
  const kept = [...lines].reverse().filter((line) => {
    const message = /^\{"at":"[^"]*","level":"\w+","message":"([^"\\]*)"/.exec(line)?.[1]
    const place = message === undefined ? undefined : left.find(({ kind }) => kind.test(message))
    if (place === undefined) return false
    // Once there is no room, no older line takes what a shorter one would leave.
    place.room = place.room > line.length ? place.room - line.length - 1 : 0
    return place.room > 0
  })
  return kept
    .reverse()
    .map((line) => `${line}\n`)
    .join('')
}

export const noLog: Log = () => {}

function sizeOf(file: string): number {
  try {
    return statSync(file).size
  } catch {
    return 0
  }
}
