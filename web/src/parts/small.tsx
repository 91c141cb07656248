import type { ButtonHTMLAttributes, ReactNode } from 'react'
import type { CallFailure } from '../../../src/client/failure.ts'
import { Icon, type IconName } from './icon.tsx'
import { toast } from './toasts.tsx'

/** The short name of a session; a click copies it. */
export function Handle({ handle }: { handle: string }): ReactNode {
  const copy = async (event: { preventDefault(): void; stopPropagation(): void }) => {
    event.preventDefault()
    event.stopPropagation()
    await navigator.clipboard.writeText(handle)
  }
  return (
    <button type="button" className="handle" title={`Copy ${handle}`} tabIndex={-1} onClick={copy}>
      {handle}
    </button>
  )
}

/** Neutral on purpose: letter and name tell members apart, colour is for states. */
export function Avatar({ name, you, small, star }: { name: string; you?: boolean; small?: boolean; star?: boolean }) {
  return (
    <span className={`av${small ? ' sm' : ''}${you ? ' you' : ''}`} aria-hidden="true">
      {you ? <Icon name="user" /> : star ? <Icon name="star" filled /> : name.slice(0, 1).toUpperCase()}
    </span>
  )
}

export const Kbd = ({ children }: { children: ReactNode }): ReactNode => <kbd className="kbd">{children}</kbd>

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: 'primary' | 'ghost' | 'danger'
  readonly small?: boolean
  readonly icon?: IconName
  /** The key that does the same. */
  readonly keys?: string
}

export function Button({ look, small, icon, keys, children, className = '', ...rest }: ButtonProps): ReactNode {
  const alone = icon !== undefined && children === undefined
  return (
    <button
      type="button"
      className={`btn${look ? ` ${look}` : ''}${small ? ' sm' : ''}${alone ? ' icon' : ''} ${className}`}
      {...rest}
    >
      {icon && <Icon name={icon} small={small ?? false} />}
      {children}
      {keys && <Kbd>{keys}</Kbd>}
    </button>
  )
}

/** What this is and what to do; one button at most. */
export function Empty({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <div className="empty">
      <b className="med">{title}</b>
      {children && <span>{children}</span>}
      {action}
    </div>
  )
}

/** Bars in the shape of rows, while they are on their way. */
export function Skeleton({ rows = 3 }: { rows?: number }): ReactNode {
  return (
    <div className="skeleton" aria-busy="true" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, row) => (
        <span key={row} className="skel" />
      ))}
    </div>
  )
}

/** Why something is not there, and the way out. */
export function Failed({ failure, retry }: { failure: CallFailure; retry?: () => void }): ReactNode {
  return (
    <div className="empty" role="alert">
      <b className="med">{failure.message}</b>
      {failure.hint && <span>{failure.hint}</span>}
      {retry && (
        <Button small onClick={retry}>
          Try again
        </Button>
      )}
    </div>
  )
}

/** Does something on the server; a refusal is a toast that says why. */
export async function attempt(act: () => Promise<unknown>): Promise<boolean> {
  try {
    await act()
    return true
  } catch (thrown) {
    const { message, hint } = thrown as Partial<CallFailure>
    toast({ tone: 'bad', text: [message, hint].filter(Boolean).join(' ') })
    return false
  }
}
