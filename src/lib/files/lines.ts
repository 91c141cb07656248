import { PathError } from './paths.ts'
import { appendInside, readInside, rewriteInside } from './workspace-files.ts'

/** A line of a log, known by its key. */
export interface LogLine {
  readonly seq: string
  readonly [field: string]: unknown
}

const BYTES = 4 * 1024 * 1024
const FULL = 'full'
const NOTE_BYTES = 200

/** Goes on with a log of JSON lines below a root. A log that has grown to its limit says so and stays as it is. */
export async function appendLines(root: string, path: string, lines: readonly LogLine[], limit = BYTES): Promise<void> {
  for (const text of lines.map((line) => `${JSON.stringify(line)}\n`)) {
    if (await appendInside(root, path, text, limit)) continue
    const note = { seq: FULL, note: `This file is full (${limit} bytes); GET /api/events has the rest.` }
    const { missing } = await missingIn(root, path, [note])
    if (missing.length > 0) await appendInside(root, path, `${JSON.stringify(note)}\n`, limit + NOTE_BYTES)
    return
  }
}

/**
 * The same after a crash: a line that is there already is not written again, and one that was cut off is. So the same lines
 * may be given twice.
 */
export async function continueLines(
  root: string,
  path: string,
  lines: readonly LogLine[],
  limit = BYTES,
): Promise<void> {
  const { whole, cut, missing } = await missingIn(root, path, lines)
  if (cut) await rewriteInside(root, path, whole)
  await appendLines(root, path, missing, limit)
}

async function missingIn(root: string, path: string, lines: readonly LogLine[]) {
  const there = await readInside(root, path, 2 * BYTES).then(
    ({ bytes }) => bytes.toString('utf8'),
    (error: unknown) => {
      if (error instanceof PathError && error.code === 'path.not_found') return ''
      throw error
    },
  )
  const whole = there.slice(0, there.lastIndexOf('\n') + 1)
  const known = new Set(whole.split('\n').map(seqOf))
  return { whole, cut: whole !== there, missing: lines.filter(({ seq }) => !known.has(seq)) }
}

const seqOf = (line: string): string | undefined => /^\{"seq":"([^"]*)"/.exec(line)?.[1]
