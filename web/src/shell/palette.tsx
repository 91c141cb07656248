import { useNavigate } from '@tanstack/react-router'
import { Command } from 'cmdk'
import type { ReactNode } from 'react'
import { Dialog } from '../parts/dialog.tsx'
import { Glyph, Icon } from '../parts/icon.tsx'
import { Kbd } from '../parts/small.tsx'
import { askers, byUrgency, needsMe, useInbox } from '../state/inbox.ts'
import { useRuns } from '../state/runs.ts'
import { useSessions } from '../state/sessions.ts'
import { standingOfRun, standingOfSession, standings } from '../state/standing.ts'
import { places } from './shell.tsx'
import { shell } from './shell-state.ts'
import { switchTheme } from './theme.ts'

const SHOWN = 50

/** Everything by its name: what waits, runs, sessions, places, acts. */
export function Palette(): ReactNode {
  const go = useNavigate()
  const items = (useInbox().value ?? []).filter(needsMe).toSorted(byUrgency)
  const asking = askers(items)
  const runs = useRuns().value ?? []
  const sessions = useSessions().value ?? []
  const then = (act: () => unknown) => () => {
    shell.close()
    act()
  }
  return (
    <Dialog label="Search or jump" className="palette" close={shell.close}>
      <Command label="Search or jump" loop>
        <div className="palette-in">
          <Icon name="search" />
          <Command.Input placeholder="Search, jump, or do something" autoFocus />
          <Kbd>Esc</Kbd>
        </div>
        <Command.List>
          <Command.Empty>Nothing has this name.</Command.Empty>
          {items.length > 0 && (
            <Command.Group heading="Needs me">
              {items.slice(0, SHOWN).map(({ id, title, from }) => (
                <Command.Item
                  key={id}
                  value={`${title} ${id}`}
                  onSelect={then(() => go({ to: '/inbox', search: { item: id } }))}
                >
                  <Glyph standing={standings.asks} />
                  <span className="cut grow">{title}</span>
                  <span className="mute">{from.agent}</span>
                </Command.Item>
              ))}
            </Command.Group>
          )}
          <Command.Group heading="Do">
            <Command.Item value="new run" onSelect={then(() => shell.open('new-run'))}>
              <Icon name="plus" />
              <span className="grow">New run</span>
              <Kbd>c</Kbd>
            </Command.Item>
            <Command.Item value="switch theme light dark" onSelect={then(switchTheme)}>
              <Icon name="sun" />
              <span className="grow">Switch theme</span>
            </Command.Item>
            <Command.Item value="keys help shortcuts" onSelect={then(() => shell.open('keys'))}>
              <Icon name="list" />
              <span className="grow">Keys</span>
              <Kbd>?</Kbd>
            </Command.Item>
          </Command.Group>
          <Command.Group heading="Runs">
            {runs.slice(0, SHOWN).map((run) => (
              <Command.Item
                key={run.id}
                value={`${run.title} ${run.id}`}
                onSelect={then(() => go({ to: '/runs/$run', params: { run: run.id } }))}
              >
                <Glyph standing={standingOfRun(run)} />
                <span className="cut grow">{run.title}</span>
              </Command.Item>
            ))}
          </Command.Group>
          <Command.Group heading="Sessions">
            {sessions.slice(0, SHOWN).map((session) => (
              <Command.Item
                key={session.id}
                value={`${session.title} ${session.worker ?? ''} ${session.agent} ${session.handle}`}
                onSelect={then(() => go({ to: '/sessions/$session', params: { session: session.id } }))}
              >
                <Glyph standing={standingOfSession(session, asking)} />
                <span className="cut grow">
                  {session.worker ?? session.agent}: {session.title}
                </span>
                <span className="handle">{session.handle}</span>
              </Command.Item>
            ))}
          </Command.Group>
          <Command.Group heading="Go to">
            {Object.entries(places).map(([key, { to, name }]) => (
              <Command.Item key={to} value={`go to ${name}`} onSelect={then(() => go({ to }))}>
                <Icon name="arrow" />
                <span className="grow">{name}</span>
                <Kbd>g</Kbd>
                <Kbd>{key}</Kbd>
              </Command.Item>
            ))}
          </Command.Group>
        </Command.List>
      </Command>
    </Dialog>
  )
}
