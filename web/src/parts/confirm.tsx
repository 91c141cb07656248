import type { ReactNode } from 'react'
import { Dialog } from './dialog.tsx'
import { Button } from './small.tsx'

/** The question before something is destroyed. */
export function Confirm({
  title,
  children,
  act,
  word,
  close,
}: {
  title: string
  children: ReactNode
  /** What the button says that does it. */
  word: string
  act(): void
  close(): void
}): ReactNode {
  return (
    <Dialog label={title} className="confirm" close={close}>
      <h2>{title}</h2>
      <p className="soft">{children}</p>
      <div className="confirm-acts">
        <Button look="ghost" onClick={close} autoFocus>
          Keep it
        </Button>
        <Button
          look="danger"
          onClick={() => {
            close()
            act()
          }}
        >
          {word}
        </Button>
      </div>
    </Dialog>
  )
}
