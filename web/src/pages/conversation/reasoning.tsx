import { type ReactNode, useState } from 'react'
import { Took } from '../../parts/figures.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Markdown } from '../../parts/markdown.tsx'

/** What the model thought, folded. */
export function Reasoning({ text, live, since }: { text: string; live?: boolean; since?: string }): ReactNode {
  const [open, setOpen] = useState(false)
  const last = live ? text.trimEnd().split('\n').at(-1) : undefined
  return (
    <div className="reasoning">
      <button type="button" className="tool" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name={open ? 'down' : 'right'} small />
        <span>{live ? 'thinks' : 'thought'}</span>
        {!open && last && <span className="cut mute">{last.slice(-160)}</span>}
        {live && since && (
          <span className="ms">
            <Took since={since} />
          </span>
        )}
      </button>
      {open && (
        <div className="reasoning-b">
          <Markdown text={text} />
        </div>
      )}
    </div>
  )
}
