import '../styles/answer.css'
import { type FormEvent, type ReactNode, useRef, useState } from 'react'
import type { Decision, InboxAnswer, InboxItem } from '../../../src/contract/inbox.ts'
import { type KeyMap, useKeys } from '../shell/keys.ts'
import { answerItem } from '../state/inbox.ts'
import { attempt, Button, Kbd } from './small.tsx'

/** Whether an answer of the person does something; other items are only read. */
export const takesAnswer = ({ kind, options, status }: InboxItem): boolean =>
  status === 'open' && (kind === 'question' || kind === 'approval' || kind === 'proposal' || options !== undefined)

/** Answers an item where it stands. `keys`: 1–9 or o s a d act on it; one item at a time has them. */
export function Answer({ item, keys = false, wide = false }: { item: InboxItem; keys?: boolean; wide?: boolean }) {
  const [busy, setBusy] = useState(false)
  const give = async (answer: InboxAnswer): Promise<void> => {
    setBusy(true)
    await attempt(() => answerItem(item.id, answer))
    setBusy(false)
  }
  const parts = { item, keys, wide, busy, give }
  return item.kind === 'approval' ? <Decide {...parts} /> : <Reply {...parts} />
}

interface Parts {
  readonly item: InboxItem
  readonly keys: boolean
  readonly wide: boolean
  readonly busy: boolean
  give(answer: InboxAnswer): Promise<void>
}

function Reply({ item, keys, wide, busy, give }: Parts): ReactNode {
  const { options = [] } = item
  const [inWords, setInWords] = useState(wide || options.length === 0)
  useKeys(keys ? Object.fromEntries(options.map((answer, at) => [String(at + 1), () => void give({ answer })])) : {})
  return (
    <div className={`answer${wide ? ' wide' : ''}`}>
      {options.map((answer, at) => (
        <button key={answer} type="button" className="pick" disabled={busy} onClick={() => void give({ answer })}>
          {keys && at < 9 && <Kbd>{at + 1}</Kbd>}
          <span>{answer}</span>
        </button>
      ))}
      {inWords ? (
        <Words
          label={`Answer to ${item.from.agent ?? 'the question'}`}
          placeholder={options.length > 0 ? 'Or in your own words' : 'Your answer'}
          send="Answer"
          busy={busy}
          give={(answer) => give({ answer })}
        />
      ) : (
        <Button look="ghost" onClick={() => setInWords(true)}>
          In words
        </Button>
      )}
    </div>
  )
}

const decisions: readonly (readonly [Decision, string, string])[] = [
  ['once', 'o', 'Allow once'],
  ['session', 's', 'This session'],
  ['always', 'a', 'Always'],
]

function Decide({ item, keys, wide, busy, give }: Parts): ReactNode {
  const [denying, setDenying] = useState(wide)
  const reason = useRef<HTMLInputElement>(null)
  const possible = decisions.filter(([decision]) => decision === 'once' || (item.rules?.length ?? 0) > 0)
  const deny = (): void => {
    setDenying(true)
    // The field is there after the next frame.
    requestAnimationFrame(() => reason.current?.focus())
  }
  const act: KeyMap = Object.fromEntries(possible.map(([decision, key]) => [key, () => void give({ decision })]))
  useKeys(keys ? { ...act, d: deny } : {})
  return (
    <div className={`answer${wide ? ' wide' : ''}`}>
      {possible.map(([decision, key, word]) => (
        <button
          key={decision}
          type="button"
          className="pick"
          disabled={busy}
          onClick={() => void give({ decision })}
          title={decision === 'once' ? 'This call only' : item.rules?.join(', ')}
        >
          {keys && <Kbd>{key}</Kbd>}
          <span>{word}</span>
          {wide && <span className="does cut">{does(decision, item)}</span>}
        </button>
      ))}
      {denying ? (
        <Words
          input={reason}
          label="Why it is denied"
          placeholder={`Why not; ${item.from.agent ?? 'the agent'} reads it`}
          send="Deny"
          optional
          {...(keys && { sendKey: 'd' })}
          busy={busy}
          give={(why) => give(why === '' ? { decision: 'deny' } : { decision: 'deny', reason: why })}
        />
      ) : (
        <button type="button" className="pick" disabled={busy} onClick={deny}>
          {keys && <Kbd>d</Kbd>}
          <span>Deny</span>
        </button>
      )}
    </div>
  )
}

const does = (decision: Decision, { rules = [] }: InboxItem): string =>
  decision === 'once'
    ? 'exactly this call'
    : `${decision === 'always' ? 'from now on: ' : 'again here: '}${rules.join(', ')}`

/** A line of the person's own. */
function Words({
  label,
  placeholder,
  send,
  sendKey,
  optional = false,
  busy,
  input,
  give,
}: {
  label: string
  placeholder: string
  send: string
  sendKey?: string
  optional?: boolean
  busy: boolean
  input?: React.RefObject<HTMLInputElement | null>
  give(text: string): Promise<void>
}): ReactNode {
  const [text, setText] = useState('')
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (text.trim() !== '' || optional) void give(text.trim())
  }
  return (
    <form className="own-words" onSubmit={submit}>
      <input
        ref={input}
        className="field"
        aria-label={label}
        placeholder={placeholder}
        value={text}
        maxLength={4096}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
      />
      <Button
        type="submit"
        disabled={busy || (!optional && text.trim() === '')}
        {...(sendKey !== undefined && { keys: sendKey })}
      >
        {send}
      </Button>
    </form>
  )
}
