import { type ReactNode, useEffect, useRef } from 'react'

/** Covers the page: only the palette, a question before something is destroyed, and what is written anew. */
export function Dialog({
  label,
  className = '',
  close,
  children,
}: {
  label: string
  className?: string
  close: () => void
  children: ReactNode
}): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const shown = dialog.current
    shown?.showModal()
    // By itself a dialog focuses whatever can have the focus first, which need not be where one writes.
    shown?.querySelector<HTMLElement>('input:not([type=checkbox]), textarea')?.focus()
    return () => shown?.close()
  }, [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it by itself
    <dialog
      ref={dialog}
      className={`dialog ${className}`}
      aria-label={label}
      onCancel={(event) => {
        event.preventDefault()
        close()
      }}
      onClick={(event) => event.target === dialog.current && close()}
    >
      {children}
    </dialog>
  )
}
