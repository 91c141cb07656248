import '../styles/dock.css'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { InboxItem } from '../../../src/contract/inbox.ts'
import { server } from '../live/server.ts'
import { useName } from '../state/names.ts'
import { standings } from '../state/standing.ts'
import { Answer } from './answer.tsx'
import { AskedBody } from './asked.tsx'
import { Age } from './figures.tsx'
import { Glyph } from './icon.tsx'
import { Button, Handle } from './small.tsx'

/** What was answered by somebody else is said for so long. */
const SAID_MS = 6000
const RECENT = 20

/** The open questions and approvals of a view, one at a time. `keyed`: keys answer the one that is shown. */
export function Dock({ items, keyed = true }: { items: readonly InboxItem[]; keyed?: boolean }): ReactNode {
  const [at, setAt] = useState(0)
  const [folded, setFolded] = useState(false)
  const own = useRef(new Set<string>())
  const elsewhere = useAnsweredElsewhere(items, own.current)
  const item = items[Math.min(at, items.length - 1)]
  return (
    <>
      {elsewhere && (
        <p className="dock-gone small soft" role="status">
          {elsewhere}
        </p>
      )}
      {item && (
        <section
          className={`dock${folded ? ' folded' : ''}`}
          aria-label={`${item.kind === 'approval' ? 'Approval for' : 'Question from'} ${item.from.agent ?? 'the system'}`}
        >
          <div className="dock-h">
            <Glyph standing={item.kind === 'approval' ? standings.approval : standings.asks} />
            <Asker item={item} />
            {items.length > 1 && (
              <>
                <span className="num">
                  {items.indexOf(item) + 1} of {items.length}
                </span>
                <Button
                  look="ghost"
                  small
                  icon="right"
                  aria-label="The next of them"
                  onClick={() => setAt((items.indexOf(item) + 1) % items.length)}
                />
              </>
            )}
            <Button
              look="ghost"
              small
              icon={folded ? 'up' : 'down'}
              aria-label={folded ? 'Unfold' : 'Fold'}
              aria-expanded={!folded}
              onClick={() => setFolded(!folded)}
            />
          </div>
          {folded ? (
            <p className="qq cut">{item.title}</p>
          ) : (
            <>
              <div className="asked-all">
                <p className="qq">{item.title}</p>
                <AskedBody item={item} />
              </div>
              <Answer item={item} keys={keyed} answering={() => own.current.add(item.id)} />
            </>
          )}
        </section>
      )}
    </>
  )
}

/** Who asks, from where, since when. */
function Asker({ item: { from, kind, lineage, createdAt } }: { item: InboxItem }): ReactNode {
  const task = lineage.findLast((step) => step.kind === 'task' && !step.label.startsWith('node_'))
  const name = useName(from)
  return (
    <>
      <b className="med">{name}</b>
      {from.handle && <Handle handle={from.handle} />}
      <span className="cut grow">
        {kind === 'approval' ? 'needs approval' : 'asks you'}
        {task && `, from ${task.label}`} · <Age since={createdAt} />
      </span>
    </>
  )
}

/** The sentence about an item that went although nobody here answered it. */
function useAnsweredElsewhere(items: readonly InboxItem[], own: ReadonlySet<string>): string | undefined {
  const [said, setSaid] = useState<string>()
  const before = useRef(items)
  useEffect(() => {
    const gone = before.current.find(({ id }) => !items.some((item) => item.id === id) && !own.has(id))
    before.current = items
    if (!gone) return
    let current = true
    server.call('GET /api/inbox', { query: { status: 'answered', limit: RECENT } }).then(
      ({ items: answered }) => current && setSaid(wentBy(answered.find(({ id }) => id === gone.id) ?? gone)),
      () => {},
    )
    return () => {
      current = false
    }
  }, [items, own])
  useEffect(() => {
    if (said === undefined) return
    const timer = setTimeout(() => setSaid(undefined), SAID_MS)
    return () => clearTimeout(timer)
  }, [said])
  return said
}

function wentBy({ status, answer, title }: InboxItem): string {
  const { answer: words, decision } = (answer ?? {}) as { answer?: string; decision?: string }
  return status === 'answered'
    ? `Answered elsewhere: ${words ?? decision ?? 'done'} (${title})`
    : `No longer asked (${title})`
}
