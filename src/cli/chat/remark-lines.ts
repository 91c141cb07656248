import type { Remark } from '../../contract/remarks.ts'
import { PROSE, tame, wrapWords } from './cells.ts'
import { dim, style } from './style.ts'

const marks: Record<Remark['kind'], () => string> = {
  failed: () => style('red', '✗'),
  stopped: () => dim('·'),
  switched: () => style('yellow', '⇄'),
  waits: () => style('yellow', '↻'),
  note: () => dim('·'),
}

/** A remark in as many lines as its words need. */
export function remarkLines({ kind, text }: Remark, width: number): string[] {
  const words = tame(text)
    .split('\n')
    .flatMap((line) => wrapWords(line, Math.min(width, PROSE) - 4))
  return words.map((line, row) => `  ${row === 0 ? marks[kind]() : ' '} ${kind === 'failed' ? line : dim(line)}`)
}
