import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Board } from '../../../../src/contract/runs.ts'

const tabs = [
  ['board', 'Board'],
  ['files', 'Files'],
  ['messages', 'Messages'],
  ['feed', 'Feed'],
] as const

export function BoardTabs({ board: { run, nodes }, tab }: { board: Board; tab: string }): ReactNode {
  const published = nodes.reduce((sum, node) => sum + (node.published?.length ?? 0), 0)
  const [first, ...others] = tabs.map(([name, label]) => (
    <Link
      key={name}
      className={`tab${tab === name ? ' on' : ''}`}
      aria-current={tab === name ? 'page' : undefined}
      {...(name === 'board'
        ? { to: '/runs/$run', params: { run: run.id } }
        : { to: '/runs/$run/$tab', params: { run: run.id, tab: name } })}
    >
      {label}
      {name === 'files' && published > 0 && <span className="count">{published}</span>}
    </Link>
  ))
  return (
    <nav className="run-tabs" aria-label="Parts of the run">
      {first}
      <Link className="tab" to="/sessions/$session" params={{ session: run.sessionId }}>
        Coordinator
      </Link>
      {others}
    </nav>
  )
}
