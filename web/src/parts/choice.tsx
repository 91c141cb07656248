import type { ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'

export interface Option<T extends string> {
  readonly value: T
  readonly label: ReactNode
  readonly icon?: IconName
  readonly tone?: string
}

/** One of a few, all in sight. */
export function Choice<T extends string>({
  label,
  options,
  value,
  choose,
  disabled = false,
}: {
  label: string
  options: readonly Option<T>[]
  value: T | undefined
  choose: (value: T) => void
  disabled?: boolean
}): ReactNode {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out in a row
    <span className="group choice" role="group" aria-label={label}>
      {options.map(({ value: one, label: word, icon, tone }) => (
        <button
          key={one}
          type="button"
          disabled={disabled}
          className={`btn sm${one === value ? ` on ${tone ?? ''}` : ''}`}
          aria-pressed={one === value}
          onClick={() => choose(one)}
        >
          {icon && one === value && <Icon name={icon} small />}
          {word}
        </button>
      ))}
    </span>
  )
}

/** Tabs whose choice is in the address; the panel below belongs to the chosen one. */
export function Tabs<T extends string>({
  tabs,
  value,
  choose,
}: {
  tabs: readonly { readonly value: T; readonly label: string; readonly count?: number | undefined }[]
  value: T
  choose: (value: T) => void
}): ReactNode {
  return (
    <div className="tab-row" role="tablist">
      {tabs.map(({ value: one, label, count }) => (
        <button
          key={one}
          type="button"
          role="tab"
          className={`tab${one === value ? ' on' : ''}`}
          aria-selected={one === value}
          onClick={() => choose(one)}
        >
          {label}
          {count !== undefined && <span className="count">{count}</span>}
        </button>
      ))}
    </div>
  )
}

/** On or off, told to readers as a switch. */
export function Switch({
  label,
  on,
  turn,
  disabled = false,
}: {
  label: string
  on: boolean
  turn: (on: boolean) => void
  disabled?: boolean
}): ReactNode {
  return (
    <button
      type="button"
      role="switch"
      className="switch-row"
      aria-checked={on}
      disabled={disabled}
      onClick={() => turn(!on)}
    >
      <span className={`switch${on ? ' on' : ''}`} />
      {label}
    </button>
  )
}
