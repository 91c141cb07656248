import type { ReactNode } from 'react'
import type { ChangedLine } from '../../../src/client/approval.ts'
import { legible } from '../state/legible.ts'

/** More lines are read in the file itself. */
const LINES = 400
/** A line without an end would freeze the page. */
const LINE = 2000

const looks = { '+': 'a', '-': 'd', '@': 'h', ' ': undefined } as const

/** What is taken out and put in, line by line. */
export function ChangedLines({ lines }: { lines: readonly ChangedLine[] }): ReactNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <section className="diff scroll" tabIndex={0} aria-label="Changes">
      <table>
        <tbody>
          {lines.slice(0, LINES).map(({ sign, text }, at) => (
            <tr key={at} className={looks[sign]}>
              <td className="g">{sign === '-' ? '−' : sign === '@' ? '' : sign}</td>
              <td>{legible(cut(text))}</td>
            </tr>
          ))}
          {lines.length > LINES && (
            <tr className="h">
              <td className="g" />
              <td>… {lines.length - LINES} more lines</td>
            </tr>
          )}
        </tbody>
      </table>
    </section>
  )
}

const cut = (text: string): string =>
  text.length > LINE ? `${text.slice(0, LINE)} … (${text.length - LINE} more characters)` : text
