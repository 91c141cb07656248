import { existsSync, statSync } from 'node:fs'
import { AppError } from '../../contract/errors.ts'
import { reserveOf } from './reserve.ts'

/** What SQLite and the file system say of a database that cannot be used, as sentences with a way out. */
export function translated(error: unknown, file: string): unknown {
  if (!(error instanceof Error)) return error
  const number = 'errcode' in error ? Number(error.errcode) & 0xff : undefined
  const code = 'code' in error ? String(error.code) : ''
  if (number === FULL || code === 'ENOSPC') return full(error)
  const why = (number === undefined ? undefined : unusable[number]) ?? (code === 'EROFS' ? READ_ONLY : undefined)
  if (why === undefined) return error
  return unusableFile(file, why, error)
}

const FULL = 13
const READ_ONLY = 'it cannot be written'
const unusable: Readonly<Record<number, string>> = {
  8: READ_ONLY,
  10: 'the disk does not answer as it should',
  11: 'it is damaged',
  14: 'it cannot be opened',
  26: 'it is not a database',
}

export const full = (cause?: Error): AppError =>
  new AppError('store.full', 'The disk that holds the data folder is full; nothing was written.', {
    hint: 'Free some space; work goes on by itself.',
    cause,
  })

export const isFull = (error: unknown): boolean => error instanceof AppError && error.code === 'store.full'

/** Throws once the file that was opened is no longer the one of this name, or holds nothing: what is written would be lost. */
export function sameFile(file: string): () => void {
  if (file === ':memory:') return () => {}
  const { ino } = statSync(file)
  return () => {
    const found = statSync(file, { throwIfNoEntry: false })
    if (found?.ino === ino && found.size > 0) return
    throw new AppError(
      'store.removed',
      `The database ${file} was removed, replaced or emptied while the server runs.`,
      {
        hint: 'Put it back, or stop the server with "troupe down" and start it again.',
      },
    )
  }
}

/** A file without a byte is one that a first start has just made, unless what is made after it is there already. */
export function refuseEmptied(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false })
  if (found?.size !== 0 || !existsSync(reserveOf(file))) return
  throw unusableFile(file, 'it was emptied')
}

const unusableFile = (file: string, why: string, cause?: Error): AppError =>
  new AppError('store.unusable', `The database ${file} cannot be used: ${why}.`, {
    hint: 'Put a backup in its place, or move it away to begin anew.',
    cause,
  })
