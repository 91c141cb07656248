import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'

interface MenuItem {
  readonly label: string
  readonly about?: string | undefined
  readonly on?: boolean
  readonly danger?: boolean
  act(): unknown
}

/** A button that opens a list of acts or choices below itself. */
export function Menu({
  label,
  className = 'btn ghost',
  items,
  children,
}: {
  label: string
  className?: string
  items: readonly MenuItem[]
  children: ReactNode
}): ReactNode {
  const [open, setOpen] = useState(false)
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!open) return
    box.current?.querySelector<HTMLElement>('[role=menuitem]')?.focus()
    const away = (event: PointerEvent) => {
      if (!box.current?.contains(event.target as Node)) setOpen(false)
    }
    document.addEventListener('pointerdown', away)
    return () => document.removeEventListener('pointerdown', away)
  }, [open])
  const close = () => {
    setOpen(false)
    box.current?.querySelector<HTMLElement>('button')?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const rows = [...(box.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])]
    const at = rows.indexOf(document.activeElement as HTMLElement)
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : undefined
    if (event.key === 'Escape') close()
    else if (step === undefined) return
    else rows[(at + step + rows.length) % rows.length]?.focus()
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the menu inside
    <div className="menu-box" ref={box} onKeyDown={open ? onKeyDown : undefined}>
      <button
        type="button"
        className={className}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-label={label}
        title={label}
        onClick={() => setOpen(!open)}
      >
        {children}
      </button>
      {open && (
        <div className="menu" role="menu" aria-label={label}>
          {items.map(({ label: word, about, on, danger, act }) => (
            <button
              key={word}
              type="button"
              role="menuitem"
              className={`menu-row${on ? ' on' : ''}${danger ? ' danger' : ''}`}
              onClick={() => {
                close()
                void act()
              }}
            >
              <span className="grow cut">{word}</span>
              {about && <span className="mute small">{about}</span>}
            </button>
          ))}
        </div>
      )}
    </div>
  )
}
