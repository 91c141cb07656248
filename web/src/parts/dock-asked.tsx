import type { ReactNode } from 'react'
import type { InboxItem } from '../../../src/contract/inbox.ts'
import { askedIn } from '../state/asked.ts'
import { Markdown } from './markdown.tsx'

/** More lines than these scroll in their own box; more characters are in the terminal's `troupe inbox show`. */
const LINES = 400
const LONG = 20_000

/** What an item asks, beyond its title: words, or a call exactly as it would run. */
export function AskedBody({ item }: { item: InboxItem }): ReactNode {
  if (item.kind === 'approval') return <AskedCall body={item.body} />
  return item.body && item.body !== item.title ? <Markdown text={item.body} /> : null
}

function AskedCall({ body }: { body: string }): ReactNode {
  const { head, command, fields, changes, because, chain } = askedIn(body.slice(0, LONG))
  return (
    <div className="asked">
      {command !== undefined && (
        <pre className="cmd">
          <span className="p">$ </span>
          {command}
        </pre>
      )}
      {fields.map(({ name, text }) => (
        <p key={name} className="asked-field">
          <span className="mute">{name} </span>
          <code>{text}</code>
        </p>
      ))}
      {changes.length > 0 && <ChangedLines lines={changes} />}
      <p className="small soft">
        {head}
        {because && ` · asked because ${because}`}
      </p>
      {chain.length > 0 && <p className="small mute">Goes back to {chain.join(' ← ')}</p>}
      {body.length > LONG && <p className="small mute">Only the beginning is shown.</p>}
    </div>
  )
}

export function ChangedLines({ lines }: { lines: readonly { sign: '+' | '-' | ' '; text: string }[] }): ReactNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <section className="diff scroll" tabIndex={0} aria-label="Changes">
      <table>
        <tbody>
          {lines.slice(0, LINES).map(({ sign, text }, at) => (
            <tr key={at} className={sign === '+' ? 'a' : sign === '-' ? 'd' : undefined}>
              <td className="g">{sign === '-' ? '−' : sign}</td>
              <td>{text.slice(0, 500)}</td>
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
