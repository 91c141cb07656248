import { Outlet, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { useConnection } from '../live/connection.ts'
import { Toasts } from '../parts/toasts.tsx'
import { needsMe, useInbox } from '../state/inbox.ts'
import { Banner } from './banner.tsx'
import { useKeys } from './keys.ts'
import { KeysHelp } from './keys-help.tsx'
import { readLayout } from './layout.ts'
import { NewRun } from './new-run.tsx'
import { Palette } from './palette.tsx'
import { PhoneTabs } from './phone-tabs.tsx'
import { shell, useShell } from './shell-state.ts'
import { Sidebar } from './sidebar.tsx'
import { SignIn } from './sign-in.tsx'

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
    </div>
  )
}

/** The number of things that wait for the person is in the title of the tab. */
function useTitle(): void {
  const count = useInbox().value?.filter(needsMe).length ?? 0
  useEffect(() => {
    document.title = count > 0 ? `(${count}) Troupe` : 'Troupe'
  }, [count])
}
