import { type ReactNode, useState } from 'react'
import type { Decision, InboxAnswer, InboxItem } from '../../../src/contract/inbox.ts'
import { useKeys } from '../shell/keys.ts'
import { Icon } from './icon.tsx'
import { InWords } from './in-words.tsx'
import { Kbd } from './small.tsx'

/** What is answered, and how it is shown. */
export interface Given {
  readonly item: InboxItem
  readonly keys: boolean
  readonly wide: boolean
  readonly more: ReactNode
  give(answer: InboxAnswer): Promise<void>
}

const ways: readonly { decision: Decision; key: string; word: string; does: string }[] = [
  { decision: 'once', key: 'o', word: 'Allow once', does: 'exactly this call' },
  { decision: 'session', key: 's', word: 'This session', does: 'again in this conversation, without a question' },
  { decision: 'always', key: 'a', word: 'Always', does: 'from now on, in this project' },
]

/** Once, for the session, always, or no; the two that last say which rule they make. */
export function Decide({ item, keys, wide, more, give }: Given): ReactNode {
  const [denying, setDenying] = useState(false)
  const rules = item.rules ?? []
  const possible = rules.length > 0 ? ways : ways.slice(0, 1)
  const deny = () => setDenying(true)
  const act = possible.map(({ decision, key }) => [key, () => void give({ decision })])
  useKeys(keys ? { ...Object.fromEntries(act), d: deny } : {})
  return (
    <div className="decide" data-item={item.id}>
      {rules.length > 0 && (
        <p className="small soft rules">
          <Icon name="shield" small />
          <span>
            This session and Always allow{' '}
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
          send={(reason) => give({ decision: 'deny', ...(reason && { reason }) })}
        />
      ) : (
        <div className={`answer${wide ? ' wide' : ''}`}>
          {possible.map(({ decision, key, word, does }) => (
            <button key={decision} type="button" className="pick" onClick={() => void give({ decision })}>
              {keys && <Kbd>{key}</Kbd>}
              <span>{word}</span>
              {wide && <span className="does">{does}</span>}
            </button>
          ))}
          <button type="button" className="pick no" onClick={deny}>
            {keys && <Kbd>d</Kbd>}
            <span>Deny</span>
            {wide && <span className="does">with a reason that the agent reads, if you like</span>}
          </button>
          {more}
        </div>
      )}
    </div>
  )
}
