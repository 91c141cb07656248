import { useLocation, useNavigate } from '@tanstack/react-router'
import { Command } from 'cmdk'
import { type ReactNode, useEffect, useState } from 'react'
import type { Session } from '../../../src/contract/sessions.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Glyph, Icon, State } from '../parts/icon.tsx'
import { Avatar, attempt, Kbd } from '../parts/small.tsx'
import { talkTo, useAgents } from '../state/agents.ts'
import { askers, byUrgency, needsMe, useInbox } from '../state/inbox.ts'
import { callIn } from '../state/item-gist.ts'
import { useRunStandings } from '../state/run-standing.ts'
import { useRuns } from '../state/runs.ts'
import { useSenders } from '../state/sender.ts'
import { useSessions, useSessionsNamed } from '../state/sessions.ts'
import { standingOfSession, standings } from '../state/standing.ts'
import { useHere } from './here.tsx'
import { places } from './shell.tsx'
import { shell } from './shell-state.ts'
import { verbsAt } from './verbs.ts'

/** So many of a kind are drawn. */
const SHOWN = 50

/** Those that have all the words come first, however many there are; the others may still be near enough. */
function foremost<T>(all: readonly T[], text: string, wordsOf: (one: T) => string): readonly T[] {
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean)
  const found = Map.groupBy(all, (one) => wanted.every((word) => wordsOf(one).toLowerCase().includes(word)))
  return [...(found.get(true) ?? []), ...(found.get(false) ?? [])].slice(0, SHOWN)
}

const TYPED_MS = 150

/** What was typed, once nothing more comes. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), TYPED_MS)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}

const wordsOfSession = ({ worker = '', agent, title, handle }: Session): string =>
  `${worker} ${agent} ${title} ${handle}`

/** Everything by its name: what waits, what can be done here, sessions, runs, agents, places. */
export function Palette(): ReactNode {
  const go = useNavigate()
  const [text, setText] = useState('')
  const items = (useInbox().value ?? []).filter(needsMe).toSorted(byUrgency)
  const asking = askers(items)
  const senderOf = useSenders()
  const standingOf = useRunStandings()
  const runs = useRuns().value ?? []
  const recent = useSessions().value ?? []
  const older = useSessionsNamed(useSettled(text.trim()))
  const sessions = [...recent, ...older.filter((one) => !recent.some(({ id }) => id === one.id))]
  const { pathname } = useLocation()
  const { path } = useHere()
  const agents = (useAgents(path).value ?? []).filter(
    ({ broken, definition }) => !broken && definition.visible !== false,
  )
  const runTitles = new Map(runs.map(({ id, title }) => [id as string, title]))
  // The title of a worker's session is the id of its node.
  const titleOf = ({ worker, runId = '', title }: Session): string => (worker && runTitles.get(runId)) || title
  const then = (act: () => unknown) => () => {
    shell.close()
    act()
  }
  const talk = (agent: string) =>
    attempt(async () => {
      const { id } = await talkTo(path, agent)
      await go({ to: '/sessions/$session', params: { session: id } })
    })
  return (
    <Dialog label="Search or jump" className="palette" close={shell.close}>
      <Command label="Search or jump" loop>
        <div className="palette-in">
          <Icon name="search" />
          <Command.Input placeholder="Search, jump, or do something" autoFocus value={text} onValueChange={setText} />
          <Kbd>Esc</Kbd>
        </div>
        <Command.List>
          <Command.Empty>Nothing has this name.</Command.Empty>
          {items.length > 0 && (
            <Command.Group heading="Needs me">
              {items.slice(0, SHOWN).map((item) => (
                <Command.Item
                  key={item.id}
                  value={`${item.title} ${senderOf(item).name} ${item.from.agent} ${item.id}`}
                  onSelect={then(() => go({ to: '/inbox', search: { item: item.id } }))}
                >
                  <Glyph standing={standings.asks} />
                  <span className="cut grow">{callIn(item) ?? item.title}</span>
                  <span className="mute">{senderOf(item).name}</span>
                </Command.Item>
              ))}
            </Command.Group>
          )}
          <Command.Group heading="Do">
            {verbsAt(pathname, { sessions, runs }).map(({ name, words = '', icon, keys, act }) => (
              <Command.Item key={name} value={`${name} ${words}`} onSelect={then(act)}>
                <Icon name={icon} />
                <span className="cut grow">{name}</span>
                {keys && <Kbd>{keys}</Kbd>}
              </Command.Item>
            ))}
          </Command.Group>
          <Command.Group heading={sessions.length > 0 ? 'Sessions' : undefined}>
            {foremost(sessions, text, wordsOfSession).map((session) => {
              const standing = standingOfSession(session, asking)
              return (
                <Command.Item
                  key={session.id}
                  value={wordsOfSession(session)}
                  onSelect={then(() => go({ to: '/sessions/$session', params: { session: session.id } }))}
                >
                  <Glyph standing={standing} />
                  <span className="med">{session.worker ?? session.agent}</span>
                  <span className="handle">{session.handle}</span>
                  <span className="cut grow soft">{titleOf(session)}</span>
                  <span className={`state ${standing.tone}`}>{standing.word}</span>
                </Command.Item>
              )
            })}
          </Command.Group>
          <Command.Group heading={runs.length > 0 ? 'Runs' : undefined}>
            {foremost(runs, text, ({ title, id }) => `${title} ${id}`).map((run) => (
              <Command.Item
                key={run.id}
                value={`${run.title} ${run.id}`}
                onSelect={then(() => go({ to: '/runs/$run', params: { run: run.id } }))}
              >
                <Icon name="board" />
                <span className="cut grow">{run.title}</span>
                <State standing={standingOf(run)} />
              </Command.Item>
            ))}
          </Command.Group>
          <Command.Group heading="Talk to">
            {agents.map(({ name, description }) => (
              <Command.Item key={name} value={`talk to ${name}`} onSelect={then(() => talk(name))}>
                <Avatar name={name} small />
                <span className="med">{name}</span>
                <span className="cut grow mute">{description}</span>
                <span className="mute nowrap">new session</span>
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
        <div className="palette-foot" aria-hidden="true">
          <Kbd>↑</Kbd> <Kbd>↓</Kbd> move <Kbd>↵</Kbd> open <span className="right" />
          <Kbd>Esc</Kbd> close
        </div>
      </Command>
    </Dialog>
  )
}
