import { type ReactNode, useMemo, useState } from 'react'
import type { Message, Part } from '../../../../src/contract/messages.ts'
import { clockSeconds, tokens } from '../../parts/figures.tsx'
import { Button, Empty } from '../../parts/small.tsx'
import { legible } from '../../state/legible.ts'
import type { Log } from '../../state/log.ts'

/** So many messages are drawn; a click shows as many more. */
const STEP = 50
/** More of one message is in the export of the conversation. */
const SHOWN = 20_000

/** What went to the model and came from it, as the log has it: nothing folded, nothing read as Markdown. */
export function Raw({ log, older }: { log: Log; older: () => void }): ReactNode {
  const [shown, setShown] = useState(STEP)
  const messages = log.messages.slice(-shown).toReversed()
  if (messages.length === 0) return <Empty title="Nothing was said yet." />
  const more = () => {
    setShown(shown + STEP)
    if (log.messages.length <= shown + STEP) older()
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <div className="stream pad worker-tab" tabIndex={0} role="tabpanel" aria-label="Raw output">
      {messages.map((message) => (
        <RawMessage key={message.id} message={message} />
      ))}
      {(log.more || log.messages.length > shown) && (
        <Button small look="ghost" onClick={more}>
          Earlier
        </Button>
      )}
    </div>
  )
}

function RawMessage({ message }: { message: Message }): ReactNode {
  const { seq, role, model, createdAt, tokens: used, parts } = message
  const text = useMemo(() => legible(cut(parts.map(inWords).join('\n'))), [parts])
  return (
    <article className="raw" aria-label={`${role}, message ${seq}`}>
      <header className="small mute">
        <span className="num">{seq}</span> {role} · {clockSeconds(createdAt)}
        {model && ` · ${model}`}
        {used && ` · ${tokens(used.input)} in, ${tokens(used.output)} out`}
      </header>
      <pre className="code">{text}</pre>
    </article>
  )
}

function inWords(part: Part): string {
  if (part.type === 'text') return part.text
  if (part.type === 'reasoning') return `[reasoning]\n${part.text}`
  if (part.type === 'file')
    return `[file ${part.name ?? ''} ${part.mediaType}, ${part.data.length} characters of base64]`
  if (part.type === 'tool-call') return `[call ${part.callId}] ${part.name} ${json(part.input)}`
  return `[result ${part.callId}]${part.error ? ' error' : ''} ${json(part.output)}`
}

const json = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value, undefined, 1) ?? '')

const cut = (text: string): string =>
  text.length > SHOWN
    ? `${text.slice(0, SHOWN)}\n[… ${(text.length - SHOWN).toLocaleString('en')} more characters are in the export …]`
    : text
