import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useEffect, useMemo, useRef } from 'react'
import type { InboxItem } from '../../../../src/contract/inbox.ts'
import { Age } from '../../parts/figures.tsx'
import { Icon } from '../../parts/icon.tsx'
import { ItemGlyph } from '../../parts/item-glyph.tsx'
import { Button } from '../../parts/small.tsx'
import { callIn } from '../../state/item-gist.ts'
import { useSenders } from '../../state/sender.ts'
import { type Group, isWaved } from './groups.ts'

type Row = { readonly group: Group } | { readonly item: InboxItem }

interface Acts {
  open(item: InboxItem): void
  tick(item: InboxItem): void
  tickAll(items: readonly InboxItem[]): void
}

/** The items by kind; only those in sight are drawn. */
export function ItemList({
  groups,
  current,
  ticked,
  ...acts
}: { groups: readonly Group[]; current: string | undefined; ticked: ReadonlySet<string> } & Acts): ReactNode {
  const rows = useMemo(
    () => groups.flatMap((group): Row[] => [{ group }, ...group.items.map((item) => ({ item }))]),
    [groups],
  )
  const scroll = useRef<HTMLDivElement>(null)
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroll.current,
    estimateSize: (at) => ('group' in rows[at]! ? 32 : 57),
    getItemKey: (at) => {
      const row = rows[at]!
      return 'group' in row ? row.group.kind : row.item.id
    },
    overscan: 8,
  })
  useEffect(() => {
    const at = rows.findIndex((row) => 'item' in row && row.item.id === current)
    if (at >= 0) list.scrollToIndex(at, { align: 'auto' })
  }, [current, rows, list])
  return (
    <div className="inbox-scroll" ref={scroll}>
      <div style={{ height: list.getTotalSize(), position: 'relative' }}>
        {list.getVirtualItems().map(({ key, index, start }) => {
          const row = rows[index]!
          return (
            <div
              key={key}
              data-index={index}
              ref={list.measureElement}
              style={{ position: 'absolute', top: 0, left: 0, right: 0, transform: `translateY(${start}px)` }}
            >
              {'group' in row ? (
                <GroupHead group={row.group} tickAll={acts.tickAll} />
              ) : (
                <ItemRow item={row.item} on={row.item.id === current} ticked={ticked.has(row.item.id)} {...acts} />
              )}
            </div>
          )
        })}
      </div>
    </div>
  )
}

function GroupHead({ group, tickAll }: { group: Group; tickAll: Acts['tickAll'] }): ReactNode {
  const waved = group.items.filter(isWaved)
  return (
    <div className="inbox-group">
      <Icon name={group.icon} small />
      <h2>{group.plural}</h2>
      <span className="count">{group.items.length}</span>
      {waved.length > 0 && (
        <Button small look="ghost" className="right" onClick={() => tickAll(waved)}>
          Select all
        </Button>
      )}
    </div>
  )
}

function ItemRow({
  item,
  on,
  ticked,
  open,
  tick,
}: { item: InboxItem; on: boolean; ticked: boolean } & Omit<Acts, 'tickAll'>): ReactNode {
  const { from, title, createdAt } = item
  const { name: who, about } = useSenders()(item)
  const call = callIn(item)
  return (
    <div className={`inbox-item${on ? ' on' : ''}`} data-item={item.id}>
      {isWaved(item) ? (
        <input type="checkbox" checked={ticked} onChange={() => tick(item)} aria-label={`Select: ${title}`} />
      ) : (
        <ItemGlyph item={item} />
      )}
      <button type="button" className="inbox-open" aria-current={on ? 'true' : undefined} onClick={() => open(item)}>
        <span className="who">
          <b>{who}</b>
          {from.handle && <span className="handle">{from.handle}</span>}
          <span className="cut">{about}</span>
          <span className="right mute small">
            <Age since={createdAt} />
          </span>
        </span>
        <span className="what">{call === undefined ? shortTitle(title, who, from.handle) : <code>{call}</code>}</span>
      </button>
    </div>
  )
}

/** The name of the sender stands above already. */
const shortTitle = (title: string, who: string, handle = ''): string => {
  const said = [`${who} ${handle}: `, `${who}: `].find((start) => title.startsWith(start))
  return said === undefined ? title : title.slice(said.length)
}
