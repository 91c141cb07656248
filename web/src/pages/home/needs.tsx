import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { InboxItem } from '../../../../src/contract/inbox.ts'
import { Answer, takesAnswer } from '../../parts/answer.tsx'
import { Age } from '../../parts/figures.tsx'
import { Icon } from '../../parts/icon.tsx'
import { ItemGlyph } from '../../parts/item-glyph.tsx'
import { Empty, Failed, Skeleton } from '../../parts/small.tsx'
import { useDismissed } from '../../state/dismissing.ts'
import { byUrgency, needsMe, useInbox } from '../../state/inbox.ts'
import { callIn } from '../../state/item-gist.ts'
import { useSenders } from '../../state/sender.ts'
import { Head } from './head.tsx'

/** So many are answered in place; the others are rows that lead to the inbox. */
const CARDS = 2
const ROWS = 5

export function Needs(): ReactNode {
  const inbox = useInbox()
  const dismissed = useDismissed()
  const all = (inbox.value ?? []).filter(({ id }) => !dismissed.has(id))
  const asks = all.filter(needsMe).toSorted(byUrgency)
  const rest = all.filter((item) => !needsMe(item)).toSorted((a, b) => b.createdAt.localeCompare(a.createdAt))
  const cards = asks.slice(0, CARDS)
  const rows = [...asks.slice(CARDS), ...rest]
  return (
    <section aria-label="Needs me">
      <Head title="Needs me" count={asks.length} tone="ask" to="/inbox" more="Open the inbox" keys={['g', 'i']} />
      {inbox.value === undefined &&
        (inbox.failure ? <Failed failure={inbox.failure} retry={inbox.refresh} /> : <Skeleton rows={2} />)}
      {inbox.value !== undefined && all.length === 0 && (
        <Empty title="Nothing waits for you">Questions and approvals of agents show here, and are answered here.</Empty>
      )}
      {cards.map((item) => (
        // The numbers answer one of them, and the letters another: each the first that takes them.
        <Card key={item.id} item={item} keys={item === cards.find((one) => decides(one) === decides(item))} />
      ))}
      {rows.length > 0 && (
        <div className="card home-others">
          {rows.slice(0, ROWS).map((item) => (
            <Row key={item.id} item={item} />
          ))}
          {rows.length > ROWS && (
            <Link className="row mute" to="/inbox">
              {rows.length - ROWS} more in the inbox
            </Link>
          )}
        </div>
      )}
    </section>
  )
}

const decides = ({ kind }: InboxItem): boolean => kind === 'approval'

function Card({ item, keys }: { item: InboxItem; keys: boolean }): ReactNode {
  const { from, kind, title, createdAt } = item
  const { name, about } = useSenders()(item)
  const call = callIn(item)
  return (
    <article className="card home-need" aria-label={`${name} asks`}>
      <div className="from">
        <ItemGlyph item={item} />
        <b>{name}</b>
        {from.handle && <span className="handle">{from.handle}</span>}
        <span className="cut">
          {kind === 'approval' ? 'needs approval' : 'asks you'}
          {about && ` · ${about}`}
        </span>
        {title.includes('(changes what agents may do)') && (
          <span className="tag ask">
            <Icon name="shield" small />
            changes what agents may do
          </span>
        )}
        <span className="right">
          <Age since={createdAt} />
        </span>
      </div>
      <p className="q">{call === undefined ? title : <code>{call}</code>}</p>
      <div className="do">{takesAnswer(item) && <Answer item={item} keys={keys} more={<All item={item} />} />}</div>
    </article>
  )
}

const All = ({ item: { id, kind } }: { item: InboxItem }): ReactNode => (
  <Link
    className={`btn ghost${kind === 'approval' ? '' : ' icon'}`}
    to="/inbox"
    search={{ item: id }}
    title="Open it in the inbox"
  >
    {kind === 'approval' ? 'See all of it' : <Icon name="open" />}
    {kind !== 'approval' && <span className="sr">In the inbox</span>}
  </Link>
)

function Row({ item }: { item: InboxItem }): ReactNode {
  const { from, title, createdAt, id } = item
  const { name } = useSenders()(item)
  const call = callIn(item)
  return (
    <Link className="row" to="/inbox" search={{ item: id }} data-item={id}>
      <ItemGlyph item={item} />
      <span className="who">
        <b className="med cut">{name}</b>
        {from.handle && <span className="handle">{from.handle}</span>}
      </span>
      <span className="cut grow soft">
        {call === undefined ? (
          title
        ) : (
          <>
            needs approval: <code>{call}</code>
          </>
        )}
      </span>
      <span className="mute small nowrap">
        <Age since={createdAt} />
      </span>
    </Link>
  )
}
