import { type ReactNode, useEffect, useState } from 'react'
import type { CallFailure } from '../../../../src/client/failure.ts'
import type { MemoryFound } from '../../../../src/contract/memory.ts'
import { failureOf } from '../../live/resource.ts'
import { Failed, Skeleton } from '../../parts/small.tsx'
import { useAddress } from '../../shell/address.ts'
import { useHere } from '../../shell/here.tsx'
import { refText, searchMemory } from '../../state/memory.ts'

const PAUSE_MS = 250

/** The sections that fit best, of the project and its agents, and the person's. */
export function Found({ query }: { query: string }): ReactNode {
  const [, put] = useAddress()
  const { path } = useHere()
  const [found, setFound] = useState<MemoryFound>()
  const [failure, setFailure] = useState<CallFailure>()
  useEffect(() => {
    let gone = false
    const timer = setTimeout(async () => {
      try {
        const [here, own] = await Promise.all([searchMemory(path, query), searchMemory(path, query, 'user')])
        if (gone) return
        setFailure(undefined)
        setFound({ items: [...here.items, ...own.items], notes: [...new Set([...here.notes, ...own.notes])] })
      } catch (thrown) {
        if (!gone) setFailure(failureOf(thrown))
      }
    }, PAUSE_MS)
    return () => {
      gone = true
      clearTimeout(timer)
    }
  }, [query, path])
  if (failure) return <Failed failure={failure} />
  if (found === undefined) return <Skeleton rows={4} />
  return (
    <div className="memory-found">
      {found.notes.map((note) => (
        <p key={note} className="mute small">
          {note}
        </p>
      ))}
      {found.items.length === 0 && <p className="mute">Nothing that is remembered fits these words.</p>}
      {found.items.map((hit, at) => (
        <button
          key={`${refText(hit)} ${at}`}
          type="button"
          className="memory-hit"
          onClick={() => put({ file: refText(hit) })}
        >
          <span className="med">{hit.heading || hit.path}</span>
          <span className="small soft">{hit.snippet}</span>
          <span className="tiny mute">
            {hit.agent ?? hit.scope} / {hit.path}
          </span>
        </button>
      ))}
    </div>
  )
}
