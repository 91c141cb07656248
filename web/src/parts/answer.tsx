import '../styles/answer.css'
import { type ReactNode, useState } from 'react'
import type { InboxAnswer, InboxItem } from '../../../src/contract/inbox.ts'
import { useKeys } from '../shell/keys.ts'
import { answerItem } from '../state/inbox.ts'
import { Decide, type Given } from './decide.tsx'
import { InWords } from './in-words.tsx'
import { attempt, Button, Kbd } from './small.tsx'

/** Whether an answer of the person does something; other items are only read. */
export const takesAnswer = ({ kind, options, status }: InboxItem): boolean =>
  status === 'open' && (kind === 'question' || kind === 'approval' || kind === 'proposal' || options !== undefined)

interface AnswerProps {
  readonly item: InboxItem
  /** 1–9 or o s a d act on it; one item at a time has them. */
  readonly keys?: boolean
  /** A line for each way, with room for what it does. */
  readonly wide?: boolean
  /** What can be done besides, at the end of the ways. */
  readonly more?: ReactNode
  /** Told before the answer leaves. */
  readonly answering?: () => void
}

/** The ways to answer an item, wherever it is shown: its options and one's own words, or the four decisions. */
export const Answer = (props: AnswerProps): ReactNode => <Answering key={props.item.id} {...props} />

function Answering({ item, keys = false, wide = false, more, answering }: AnswerProps): ReactNode {
  const [sent, setSent] = useState<string>()
  const give = async (body: InboxAnswer): Promise<void> => {
    setSent('answer' in body ? body.answer : body.decision)
    answering?.()
    if (!(await attempt(() => answerItem(item.id, body)))) setSent(undefined)
  }
  if (sent !== undefined)
    return (
      <p className="answer-sent soft" role="status" data-item={item.id}>
        You answered: {sent}
      </p>
    )
  const given = { item, keys, wide, more, give }
  return item.kind === 'approval' ? <Decide {...given} /> : <Options {...given} />
}

const MOST_KEYS = 9

function Options({ item, keys, wide, more, give }: Given): ReactNode {
  const options = item.options ?? []
  const [inWords, setInWords] = useState(wide || options.length === 0)
  const wordsKey = options.length < MOST_KEYS ? String(options.length + 1) : undefined
  const choose = options.slice(0, MOST_KEYS).map((answer, at) => [String(at + 1), () => void give({ answer })])
  useKeys(keys ? { ...Object.fromEntries(choose), ...(wordsKey && { [wordsKey]: () => setInWords(true) }) } : {})
  return (
    <div className={`answer${wide ? ' wide' : ''}`} data-item={item.id}>
      {options.map((answer, at) => (
        <button key={answer} type="button" className="pick" onClick={() => void give({ answer })}>
          {keys && at < MOST_KEYS && <Kbd>{at + 1}</Kbd>}
          <span>{answer}</span>
        </button>
      ))}
      {inWords ? (
        <InWords
          label={`Your answer to ${item.from.agent ?? 'the question'}`}
          hint={options.length > 0 ? 'Or in your own words' : 'Your answer'}
          act="Answer"
          focus={!wide && options.length > 0}
          send={(answer) => answer !== '' && give({ answer })}
        />
      ) : (
        <Button look="ghost" className="in-words" onClick={() => setInWords(true)}>
          {keys && wordsKey && <Kbd>{wordsKey}</Kbd>}In words
        </Button>
      )}
      {more}
    </div>
  )
}
