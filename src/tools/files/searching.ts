import { z } from 'zod'
import { AppError } from '../../contract/errors.ts'
import type { SearchResult } from '../../lib/files/search.ts'
import { cutTo } from '../../lib/text.ts'

export const SEARCH_MS = 5000
export const LINES = 200
export const RESULT_CHARS = 30_000

export const folderField = z.string().min(1).default('.').describe('Relative to the workspace')
export const ignoredField = z.boolean().default(false).describe('Also what .gitignore names')

/** The lines and, when something is missing, a note that says what and how to get it. */
export function report(result: SearchResult, nothing: string): string {
  if (result.lines.length === 0 && result.stopped === 'time') throw tooSlow()
  const text = cutTo(
    result.lines.join('\n') || nothing,
    RESULT_CHARS,
    (missing) => `${missing} more characters; narrow the search`,
  )
  const notes = [stopped(result), ignored(result)].filter((note) => note !== undefined)
  return [text, ...notes.map((note) => `[${note}]`)].join('\n')
}

function stopped({ stopped: why, lines }: SearchResult): string | undefined {
  switch (why) {
    case 'limit':
      return `There are more; only the first ${lines.length} are shown. Narrow the pattern or the path.`
    case 'time':
      return `Stopped after ${SEARCH_MS / 1000} s; there may be more. Narrow the path.`
    case 'files':
      return 'Stopped after too many files; there may be more. Narrow the path.'
    default:
      return undefined
  }
}

const ignored = ({ ignored: count }: SearchResult): string | undefined =>
  count === 0 ? undefined : `${count} left out by .gitignore; include_ignored shows them`

const tooSlow = (): AppError =>
  new AppError('tool.failed', `The search found nothing in ${SEARCH_MS / 1000} s and was stopped.`, {
    hint: 'The pattern may take too long on some text, or there are too many files: use a simpler pattern or narrow the path.',
  })
