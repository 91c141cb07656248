import { Outlet, useLocation, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { useConnection } from '../live/connection.ts'
import { Toasts } from '../parts/toasts.tsx'
import { needsMe, useInbox } from '../state/inbox.ts'
import { useRuns } from '../state/runs.ts'
import { useSessions } from '../state/sessions.ts'
import { Banner } from './banner.tsx'
import { useKeys } from './keys.ts'
import { KeysHelp } from './keys-help.tsx'
import { readLayout } from './layout.ts'
import { NewAsks } from './new-asks.tsx'
import { NewRun } from './new-run.tsx'
import { Palette } from './palette.tsx'
import { PhoneTabs } from './phone-tabs.tsx'
import { shell, useShell } from './shell-state.ts'
import { Sidebar } from './sidebar.tsx'
import { SignIn } from './sign-in.tsx'
import { parentOf, siblingOf } from './steps.ts'

/** Where `g` and a letter lead. */
export const places = {
  h: { to: '/', name: 'Home' },
  i: { to: '/inbox', name: 'Inbox' },
  b: { to: '/runs', name: 'Board' },
  t: { to: '/tasks', name: 'Tasks' },
  f: { to: '/files', name: 'Files' },
  m: { to: '/memory', name: 'Memory' },
  r: { to: '/triggers', name: 'Triggers' },
  a: { to: '/agents', name: 'Agents' },
  o: { to: '/models', name: 'Models and accounts' },
  c: { to: '/cost', name: 'Cost' },
  l: { to: '/feed', name: 'Feed' },
  s: { to: '/settings', name: 'Settings' },
  d: { to: '/devices', name: 'Devices' },
} as const

/** The frame around every view. */
export function Shell(): ReactNode {
  const { state } = useConnection()
  return state === 'refused' ? <SignIn /> : <SignedIn />
}

function SignedIn(): ReactNode {
  const { sidebar, over } = useShell()
  const go = useNavigate()
  useTitle()
  useEffect(() => void readLayout(), [])
  useKeys({
    ...Object.fromEntries(Object.entries(places).map(([key, { to }]) => [`g ${key}`, () => void go({ to })])),
    'mod+k': () => shell.open('palette'),
    '?': () => shell.open('keys'),
    c: () => shell.open('new-run'),
    '.': () => shell.showPanel(!document.querySelector('.panel')),
    '\\': () => shell.showSidebar(!sidebar),
  })
  return (
    <div className={`app${sidebar ? '' : ' bare'}`}>
      <a className="sr" href="#content">
        Skip to the content
      </a>
      {sidebar && <Sidebar />}
      <div className="content" id="content">
        <Banner />
        <Outlet />
      </div>
      <PhoneTabs />
      {over === 'palette' && <Palette />}
      {over === 'keys' && <KeysHelp />}
      {over === 'new-run' && <NewRun />}
      <Toasts />
      <NewAsks />
      <Steps />
    </div>
  )
}

/** Up, and to those beside. It draws nothing, so that what it knows of sessions draws nothing anew either. */
function Steps(): ReactNode {
  const go = useNavigate()
  const { pathname: path, search } = useLocation()
  const known = { sessions: useSessions().value ?? [], runs: useRuns().value ?? [] }
  // What is open beside a list is in the address; up closes it first.
  const beside = ['node', 'item', 'task', 'trigger', 'agent'].some((word) => word in search)
  const step = (to: string | undefined) => (): void => {
    if (to !== undefined) void go({ to, search: {} } as never)
  }
  useKeys({
    u: step(beside ? path : parentOf(path, known)),
    '[': step(siblingOf(path, known, -1)),
    ']': step(siblingOf(path, known, 1)),
  })
  return null
}

/** The number of things that wait for the person is in the title of the tab. */
function useTitle(): void {
  const count = useInbox().value?.filter(needsMe).length ?? 0
  useEffect(() => {
    document.title = count > 0 ? `(${count}) Troupe` : 'Troupe'
  }, [count])
}
