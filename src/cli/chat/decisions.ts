import { tame, wrapWords } from './cells.ts'
import { dim, style } from './style.ts'

/** A question and what came of it, in place of the call that asked. */
export const decisionLines = (title: string, how: string, width: number): string[] => [
  ...wrapWords(tame(title), width - 2).map((line, row) => `${row === 0 ? style('yellow', '?') : ' '} ${line}`),
  ...wrapWords(tame(how), width - 4).map((line, row) => dim(`  ${row === 0 ? '→' : ' '} ${line}`)),
]
