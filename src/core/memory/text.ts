import type { WriteMode } from '../../contract/memory.ts'
import { sha256 } from '../../lib/files/files.ts'
import { printable } from '../../lib/text.ts'
import type { MemoryWriteRow } from '../../store/memory-tables.ts'

export interface MemoryChange {
  readonly path: string
  readonly content: string
  readonly mode: WriteMode | 'delete'
  /** Of the text that a replace was based on. */
  readonly hash?: string | undefined
}

/** The file as it is to be; undefined where it is to be removed. What is appended begins on a line of its own. */
export function textAfter(there: Buffer | undefined, { content, mode }: MemoryChange): Buffer | undefined {
  const text = printable(content).replace(/\s+$/, '')
  if (mode !== 'append') return text === '' ? undefined : Buffer.from(`${text}\n`)
  const before = there ?? Buffer.alloc(0)
  const gap = before.length > 0 && before.at(-1) !== NEWLINE ? '\n' : ''
  return Buffer.concat([before, Buffer.from(`${gap}${text}\n`)])
}

const NEWLINE = 10

/**
 * What became of a write that was noted and then cut off, as far as the file tells: what others appended later stands
 * behind it, and what they appended instead stands where it would be.
 */
export function outcomeOf(
  noted: MemoryWriteRow,
  there: Buffer | undefined,
  mode: MemoryChange['mode'],
): 'done' | 'not' | 'unclear' {
  if (digestOf(there) === noted.after_digest) return 'done'
  if (mode !== 'append') return 'not'
  const begins = (digest: string, bytes: number): boolean =>
    there !== undefined && there.length >= bytes && sha256(there.subarray(0, bytes)) === digest
  if (begins(noted.after_digest, noted.after_bytes)) return 'done'
  if (noted.before_digest === '' || begins(noted.before_digest, noted.before_bytes)) return 'not'
  return 'unclear'
}

/** Empty where there is no file. */
export const digestOf = (bytes: Buffer | undefined): string => (bytes === undefined ? '' : sha256(bytes))
