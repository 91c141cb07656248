import { type ReactNode, useEffect, useState } from 'react'
import type { Session } from '../../../../src/contract/sessions.ts'
import { server } from '../../live/server.ts'
import { useProjects } from '../../state/projects.ts'
import { useSessions } from '../../state/sessions.ts'

export interface Suggestion {
  /** What takes the place of the word. */
  readonly insert: string
  readonly label: string
  readonly about: string
  /** A command acts at once. */
  readonly act?: () => unknown
}

/** The word at the caret that asks for suggestions, and where it begins. */
export interface Asked {
  readonly sign: '@' | '/'
  readonly word: string
  readonly from: number
}

/** `@` anywhere after a space, `/` only at the very beginning. */
export function askedAt(text: string, caret: number): Asked | undefined {
  const before = text.slice(0, caret)
  const from = Math.max(before.lastIndexOf(' '), before.lastIndexOf('\n')) + 1
  const word = before.slice(from)
  if (word.startsWith('@')) return { sign: '@', word: word.slice(1), from }
  return word.startsWith('/') && from === 0 ? { sign: '/', word: word.slice(1), from } : undefined
}

const SHOWN = 8

/** What fits the word: members and agents, then files; or commands, then skills. */
export function useSuggestions(
  session: Session,
  asked: Asked | undefined,
  commands: readonly Suggestion[],
): readonly Suggestion[] {
  const members = (useSessions().value ?? []).filter(
    ({ runId, id }) => runId !== undefined && runId === session.runId && id !== session.id,
  )
  const project = useProjects().value?.find(({ id }) => id === session.project)?.path
  const sign = asked?.sign
  const folder = asked?.sign === '@' ? folderOf(asked.word) : undefined
  const fetched = useFetched(session, project, sign, folder)
  if (asked === undefined) return []
  const word = asked.word.toLowerCase()
  const near = members.map((one) => {
    const name = one.worker ?? one.agent
    return { insert: `@${name} `, label: `@${name}`, about: one.handle }
  })
  const all = sign === '@' ? [...near, ...fetched] : [...commands, ...fetched]
  return unique(all.filter(({ label }) => label.slice(1).toLowerCase().startsWith(word))).slice(0, SHOWN)
}

const unique = (all: readonly Suggestion[]): readonly Suggestion[] =>
  all.filter(({ label }, at) => all.findIndex((one) => one.label === label) === at)

const folderOf = (word: string): string => (word.includes('/') ? word.slice(0, word.lastIndexOf('/')) : '.')

function useFetched(
  session: Session,
  project: string | undefined,
  sign: '@' | '/' | undefined,
  folder: string | undefined,
): readonly Suggestion[] {
  const [found, setFound] = useState<readonly Suggestion[]>([])
  useEffect(() => {
    if (sign === undefined) return
    let current = true
    const of = project === undefined ? {} : { project }
    const asked = sign === '@' ? mentions(session.id, of, folder ?? '.') : skills(session.agent, of)
    asked.then(
      (all) => current && setFound(all),
      () => current && setFound([]),
    )
    return () => {
      current = false
    }
  }, [session.id, session.agent, project, sign, folder])
  return found
}

async function mentions(session: string, of: { project?: string }, folder: string): Promise<Suggestion[]> {
  const [agents, files] = await Promise.all([
    server.call('GET /api/agents', { query: of }).catch(() => ({ items: [] })),
    server.call('GET /api/files', { query: { session, path: folder } }).catch(() => ({ items: [] })),
  ])
  return [
    ...agents.items.map(({ name, description }) => ({ insert: `@${name} `, label: `@${name}`, about: description })),
    ...files.items.map(({ path, kind }) => ({
      insert: kind === 'folder' ? `@${path}/` : `@${path} `,
      label: `@${path}${kind === 'folder' ? '/' : ''}`,
      about: kind,
    })),
  ]
}

async function skills(agent: string, of: { project?: string }): Promise<Suggestion[]> {
  const { items } = await server.call('GET /api/skills', { query: { ...of, agent } })
  return items.map(({ name, description }) => ({ insert: `/${name} `, label: `/${name}`, about: description }))
}

export function Suggestions({
  all,
  at,
  choose,
}: {
  all: readonly Suggestion[]
  at: number
  choose: (one: Suggestion) => void
}): ReactNode {
  return (
    <div className="suggestions" role="listbox" id="suggestions" aria-label="Suggestions">
      {all.map((one, index) => (
        <button
          key={one.label}
          type="button"
          role="option"
          tabIndex={-1}
          id={`suggestion-${index}`}
          aria-selected={index === at}
          className={`menu-row${index === at ? ' on' : ''}`}
          onPointerDown={(event) => {
            event.preventDefault()
            choose(one)
          }}
        >
          <span className="mono">{one.label}</span>
          <span className="mute small cut">{one.about}</span>
        </button>
      ))}
    </div>
  )
}
