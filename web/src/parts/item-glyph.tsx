import type { ReactNode } from 'react'
import type { InboxItem } from '../../../src/contract/inbox.ts'
import { standingOfItem } from '../state/item-standing.ts'
import { Glyph, Icon } from './icon.tsx'

/** An item by its shape: what waits for the person by its state, what is only told by what it is. */
export function ItemGlyph({ item, large = false }: { item: InboxItem; large?: boolean }): ReactNode {
  const told = item.status === 'open' && (item.kind === 'message' || item.kind === 'notice')
  if (!told) return <Glyph standing={standingOfItem(item)} large={large} />
  return (
    <span className={`told${large ? ' lg' : ''}`} role="img" aria-label={item.kind} title={item.kind}>
      {item.kind === 'message' ? <i className="dot" /> : <Icon name="bell" small={!large} />}
    </span>
  )
}
