import { type ReactNode, useMemo } from 'react'
import { Icon } from '../../parts/icon.tsx'
import { changedIn } from '../../state/changed-files.ts'
import type { Log } from '../../state/log.ts'

const FILES = 12

/** The files that its calls changed, as far as the log is loaded. */
export function Changed({ messages }: { messages: Log['messages'] }): ReactNode {
  const files = useMemo(() => changedIn(messages), [messages])
  if (files.length === 0) return null
  return (
    <section className="sec">
      <h2 className="sec-h">
        Changed files
        <span className="right num">{files.length}</span>
      </h2>
      {files.slice(0, FILES).map(({ path, added, removed }) => (
        <div key={path} className="tool" title={path}>
          <Icon name="file" />
          <span className="what cut">{path}</span>
          <span className="ms">
            {added > 0 && <span className="plus">+{added} </span>}
            {removed > 0 && <span className="minus">−{removed}</span>}
          </span>
        </div>
      ))}
    </section>
  )
}
