import { type ReactNode, useSyncExternalStore } from 'react'
import { Choice } from '../../parts/choice.tsx'
import { watchLayout } from '../../shell/layout.ts'
import { rings, setRings } from '../../shell/ring.ts'
import { setTheme, themeNow } from '../../shell/theme.ts'

const themes = [
  { value: 'system', label: 'As the system' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const

const sounds = [
  { value: 'off', label: 'Off' },
  { value: 'on', label: 'On' },
] as const

/** How the page looks and sounds to this person, on all of their devices. */
export function PageSettings(): ReactNode {
  const theme = useSyncExternalStore(watchLayout, themeNow)
  const sound = useSyncExternalStore(watchLayout, rings)
  return (
    <section className="settings-group" aria-label="This page">
      <h2>this page</h2>
      <div className="page-setting">
        <span className="grow">Theme</span>
        <Choice label="Theme" options={themes} value={theme} choose={setTheme} />
      </div>
      <div className="page-setting">
        <span className="grow">Sound when something begins to need you</span>
        <Choice
          label="Sound"
          options={sounds}
          value={sound ? 'on' : 'off'}
          choose={(next) => setRings(next === 'on')}
        />
      </div>
    </section>
  )
}
