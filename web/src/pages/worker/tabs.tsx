import { useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'
import { changedIn } from '../../state/changed-files.ts'
import type { Log } from '../../state/log.ts'

const tabs = [
  ['activity', 'Activity'],
  ['conversation', 'Conversation'],
  ['notebook', 'Notebook'],
  ['diff', 'Diff'],
  ['raw', 'Raw output'],
] as const

/** What of a worker is shown; the choice is in the address. */
export function WorkerTabs({ tab, log }: { tab: string; log: Log | undefined }): ReactNode {
  const go = useNavigate()
  const search = useSearch({ strict: false })
  const messages = log?.messages
  const changed = useMemo(() => (messages ? changedIn(messages).length : 0), [messages])
  return (
    <div className="tabs" role="tablist" aria-label="What the worker did">
      {tabs.map(([name, label]) => (
        <button
          key={name}
          type="button"
          role="tab"
          aria-selected={tab === name}
          className={`tab${tab === name ? ' on' : ''}`}
          onClick={() => go({ to: '.', search: { ...search, tab: name } as never })}
        >
          {label}
          {name === 'diff' && changed > 0 && <span className="count">{changed}</span>}
        </button>
      ))}
    </div>
  )
}
