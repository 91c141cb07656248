import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { Run } from '../../../../src/contract/runs.ts'
import { server } from '../../live/server.ts'
import { Icon } from '../../parts/icon.tsx'
import { attempt, Button } from '../../parts/small.tsx'
import { useKeys } from '../../shell/keys.ts'
import { isOver } from './view.ts'

/** What is done rarely: taking the run away as a file, putting it off the lists. */
export function MoreActs({ run, archive }: { run: Run; archive: () => unknown }): ReactNode {
  const [open, setOpen] = useState(false)
  const menu = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!open) return
    menu.current?.querySelector('button')?.focus()
    const onDown = ({ target }: PointerEvent) => {
      if (!menu.current?.parentElement?.contains(target as globalThis.Node)) setOpen(false)
    }
    window.addEventListener('pointerdown', onDown)
    return () => window.removeEventListener('pointerdown', onDown)
  }, [open])
  const then = (act: () => unknown) => () => {
    setOpen(false)
    act()
  }
  return (
    <span className="more">
      <Button look="ghost" icon="more" aria-label="More" aria-expanded={open} onClick={() => setOpen(!open)} />
      {open && (
        <div className="menu" ref={menu}>
          <CloseByKey close={() => setOpen(false)} />
          <button type="button" className="menu-row" onClick={then(() => exportRun(run, 'md'))}>
            <Icon name="file" small />
            Export as Markdown
          </button>
          <button type="button" className="menu-row" onClick={then(() => exportRun(run, 'jsonl'))}>
            <Icon name="file" small />
            Export as JSON lines
          </button>
          {isOver(run.status) && run.archivedAt === undefined && (
            <button type="button" className="menu-row" onClick={then(archive)}>
              <Icon name="folder" small />
              Archive
            </button>
          )}
        </div>
      )}
    </span>
  )
}

/** While the menu is there, Escape is its own. */
function CloseByKey({ close }: { close: () => void }): null {
  useKeys({ Escape: close })
  return null
}

const exportRun = (run: Run, format: 'md' | 'jsonl') =>
  attempt(async () => {
    const text = await server.call('GET /api/runs/{id}/export', { params: { id: run.id }, query: { format } })
    const url = URL.createObjectURL(new Blob([String(text)], { type: 'text/plain' }))
    const link = document.createElement('a')
    link.href = url
    link.download = `${run.title.replace(/[^\w-]+/g, '-').slice(0, 60) || run.id}.${format}`
    link.click()
    URL.revokeObjectURL(url)
  })
