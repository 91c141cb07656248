import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { Decision, InboxAnswer, InboxItem } from '../../../src/contract/inbox.ts'
import { useKeys } from '../shell/keys.ts'
import { answerItem } from '../state/inbox.ts'
import { Icon } from './icon.tsx'
import { attempt, Button, Kbd } from './small.tsx'

/** The ways to answer an item: its options by number and one's own words, or the four decisions. `keyed`: keys act too. */
export function Answer({
  item,
  keyed = true,
  answering,
}: {
  item: InboxItem
  keyed?: boolean
  answering?: () => void
}) {
  const [sent, setSent] = useState<string>()
  const answer = async (body: InboxAnswer) => {
    setSent('answer' in body ? body.answer : body.decision)
    answering?.()
    if (!(await attempt(() => answerItem(item.id, body)))) setSent(undefined)
  }
  if (sent !== undefined) return <p className="dock-sent soft">You answered: {sent}</p>
  const given = { item, keyed, answer }
  return item.kind === 'approval' ? <Decisions {...given} /> : <Options {...given} />
}

interface Given {
  readonly item: InboxItem
  readonly keyed: boolean
  answer(body: InboxAnswer): Promise<void>
}

const MOST_KEYS = 9

function Options({ item, keyed, answer }: Given): ReactNode {
  const options = item.options ?? []
  const [inWords, setInWords] = useState(options.length === 0)
  const wordsKey = String(options.length + 1)
  const choose = Object.fromEntries(
    options.slice(0, MOST_KEYS).map((option, at) => [String(at + 1), () => void answer({ answer: option })]),
  )
  useKeys(keyed ? { ...choose, ...(options.length < MOST_KEYS && { [wordsKey]: () => setInWords(true) }) } : {})
  return (
    <div className="opts">
      {options.map((option, at) => (
        <button key={option} type="button" className="opt" onClick={() => answer({ answer: option })}>
          {at < MOST_KEYS && <Kbd>{at + 1}</Kbd>}
          <span>{option}</span>
        </button>
      ))}
      {inWords ? (
        <InWords
          label={`Your answer to ${item.from.agent ?? 'the question'}`}
          act="Answer"
          focus={options.length > 0}
          send={(words) => words !== '' && answer({ answer: words })}
        />
      ) : (
        <Button look="ghost" className="in-words" onClick={() => setInWords(true)}>
          {options.length < MOST_KEYS && <Kbd>{wordsKey}</Kbd>}In words
        </Button>
      )}
    </div>
  )
}

function Decisions({ item, keyed, answer }: Given): ReactNode {
  const [denying, setDenying] = useState(false)
  const decide = (decision: Decision) => () => void answer({ decision })
  const rules = item.rules ?? []
  const lasting = rules.length > 0
  useKeys(
    keyed
      ? {
          o: decide('once'),
          ...(lasting && { s: decide('session'), a: decide('always') }),
          d: () => setDenying(true),
        }
      : {},
  )
  return (
    <div className="decisions">
      {lasting && (
        <p className="small soft rules">
          <Icon name="shield" small />
          <span>
            Always, in this project, writes{' '}
            {rules.map((rule) => (
              <code key={rule}>{rule.replaceAll('\n', '⏎')}</code>
            ))}
          </span>
        </p>
      )}
      {denying ? (
        <InWords
          label="Why not? The agent reads it."
          act="Deny"
          focus
          back={() => setDenying(false)}
          send={(reason) => answer({ decision: 'deny', ...(reason && { reason }) })}
        />
      ) : (
        <div className="acts">
          <Button look="primary" onClick={decide('once')} keys="o">
            Allow once
          </Button>
          {lasting && (
            <>
              <Button onClick={decide('session')} keys="s">
                In this session
              </Button>
              <Button onClick={decide('always')} keys="a">
                Always
              </Button>
            </>
          )}
          <Button look="danger" onClick={() => setDenying(true)} keys="d">
            Deny
          </Button>
        </div>
      )}
    </div>
  )
}

function InWords({
  label,
  act,
  focus,
  back,
  send,
}: {
  label: string
  act: string
  focus?: boolean
  back?: () => void
  send: (words: string) => unknown
}): ReactNode {
  const field = useRef<HTMLTextAreaElement>(null)
  const [words, setWords] = useState('')
  useEffect(() => {
    if (focus) field.current?.focus()
  }, [focus])
  return (
    <form
      className="words"
      onSubmit={(event) => {
        event.preventDefault()
        send(words.trim())
      }}
    >
      <textarea
        ref={field}
        rows={1}
        value={words}
        aria-label={label}
        placeholder={label}
        onChange={({ target }) => setWords(target.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return
          if (event.key === 'Enter' && !event.shiftKey) {
            event.preventDefault()
            send(words.trim())
          } else if (event.key === 'Escape' && back) {
            event.preventDefault()
            back()
          }
        }}
      />
      <Button type="submit" look={act === 'Deny' ? 'danger' : 'primary'} keys="↵">
        {act}
      </Button>
    </form>
  )
}
