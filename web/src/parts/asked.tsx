import { type ReactNode, useMemo } from 'react'
import { readAsked } from '../../../src/client/approval.ts'
import type { InboxItem } from '../../../src/contract/inbox.ts'
import { ChangedLines } from './changed-lines.tsx'
import { Markdown } from './markdown.tsx'

/** A longer text is read in the terminal: `troupe inbox show`. */
const LONG = 100_000

/** What an item asks, beyond its title: words, or a call exactly as it would run. */
export function AskedBody({ item }: { item: InboxItem }): ReactNode {
  if (item.kind === 'approval') return <AskedCall body={item.body} />
  const words = item.body.trim()
  return words !== '' && words !== item.title.trim() ? <Markdown text={words} /> : null
}

function AskedCall({ body }: { body: string }): ReactNode {
  const { head, fields, changes, because, lineage } = useMemo(() => readAsked(body.slice(0, LONG)), [body])
  const command = fields.find(({ name }) => name === 'command')?.text
  return (
    <div className="asked">
      {command !== undefined && (
        <pre className="cmd">
          <span className="p">$ </span>
          {command}
        </pre>
      )}
      {fields
        .filter(({ name }) => name !== 'command')
        .map(({ name, text }, at) => (
          <p key={at} className="asked-field">
            <span className="mute">{name} </span>
            <code>{text}</code>
          </p>
        ))}
      {changes.length > 0 && <ChangedLines lines={changes} />}
      {body.length > LONG && (
        <p className="small mute">Only the beginning is shown; "troupe inbox show" prints all of it.</p>
      )}
      <p className="small soft">
        {head}
        {because && ` · asked because ${because}`}
      </p>
      {lineage.length > 0 && <p className="small mute">Goes back to {lineage.join(' ← ')}</p>}
    </div>
  )
}
