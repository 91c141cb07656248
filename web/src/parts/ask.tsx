import { type ReactNode, useState } from 'react'
import { Dialog } from './dialog.tsx'
import { Button } from './small.tsx'

/** A question before something is destroyed. `act` throws nothing: a refusal is told where it happens. */
export function Ask({
  title,
  children,
  yes,
  act,
  close,
}: {
  title: string
  children?: ReactNode
  /** The word on the button that does it. */
  yes: string
  act: () => Promise<unknown>
  close: () => void
}): ReactNode {
  const [busy, setBusy] = useState(false)
  const go = async () => {
    setBusy(true)
    await act()
    close()
  }
  return (
    <Dialog label={title} className="ask-first" close={close}>
      <h2>{title}</h2>
      {children && <div className="soft">{children}</div>}
      <div className="acts">
        <Button look="ghost" onClick={close} autoFocus>
          Cancel
        </Button>
        <Button look="danger" disabled={busy} onClick={go}>
          {yes}
        </Button>
      </div>
    </Dialog>
  )
}
