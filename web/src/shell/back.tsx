import { Link, useLocation } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Icon } from '../parts/icon.tsx'
import { useSessions } from '../state/sessions.ts'
import { parentOf } from './steps.ts'

/** On a phone, where the way down to a view is not in its header: up again. */
export function Back(): ReactNode {
  const { pathname } = useLocation()
  const sessions = useSessions().value ?? []
  if (!/^\/(runs|sessions)\/./.test(pathname)) return null
  return (
    <Link className="btn ghost icon phone-only" to={parentOf(pathname, { sessions })} aria-label="Back">
      <Icon name="left" />
    </Link>
  )
}
