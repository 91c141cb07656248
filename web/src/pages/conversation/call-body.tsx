import type { ReactNode } from 'react'
import { resultInWords } from '../../../../src/client/outcomes.ts'
import { ChangedLines } from '../../parts/changed-lines.tsx'
import type { Change } from '../../state/change.ts'
import { legible } from '../../state/legible.ts'
import type { ShownCall } from '../../state/rows.ts'

/** More of an output is in the export of the conversation. */
const SHOWN = 20_000

/** What a call was given and what it gave: as a diff where it changed a file. */
export function CallBody({ call, change }: { call: ShownCall; change: Change | undefined }): ReactNode {
  const output = call.result ? resultInWords(call.result.output) : (call.now?.output?.text ?? '')
  const given = change ? [] : fieldsOf(call.input)
  return (
    <div className="body">
      {change && <ChangedLines lines={change.lines} />}
      {given.length > 0 && (
        <dl className="given">
          {given.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <pre>{legible(cut(value))}</pre>
              </dd>
            </div>
          ))}
        </dl>
      )}
      {call.now?.problem && <p className="call-problem small">{call.now.problem}</p>}
      {output !== '' && !(change && !call.result?.error) && <pre className="code out">{legible(cut(output))}</pre>}
    </div>
  )
}

const fieldsOf = (input: unknown): [string, string][] =>
  typeof input === 'object' && input !== null
    ? Object.entries(input)
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value, undefined, 1)])
    : input === undefined || input === ''
      ? []
      : [['input', String(input)]]

const cut = (text: string): string =>
  text.length > SHOWN
    ? `${text.slice(0, SHOWN / 2)}\n[… ${(text.length - SHOWN).toLocaleString('en')} characters are not shown …]\n${text.slice(-SHOWN / 2)}`
    : text
