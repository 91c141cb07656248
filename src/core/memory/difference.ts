import { createTwoFilesPatch } from 'diff'
import { cutTo } from '../../lib/text.ts'

const CONTEXT_LINES = 1
/** Of one file, and of all files of a notice. */
const FILE_CHARS = 2000
/** A larger text is not kept: what changed in it is not shown. */
export const KEPT_CHARS = 64 * 1024

/** What was added and what was taken out, line by line; undefined where the text of before is not known. */
export function differenceOf(path: string, before: string | null | undefined, after: string): string | undefined {
  if (before === null || before === undefined || after.length > KEPT_CHARS) return undefined
  const patch = createTwoFilesPatch(path, path, before, after, '', '', { context: CONTEXT_LINES })
  const hunks = patch.slice(patch.indexOf('@@')).trimEnd()
  return cutTo(hunks, FILE_CHARS, (missing) => `${missing} more characters of the difference`)
}
