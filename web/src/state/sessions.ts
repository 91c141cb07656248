import { fold } from '../../../src/client/fold.ts'
import { handleEvent } from '../../../src/contract/event-handlers.ts'
import type { Event } from '../../../src/contract/events.ts'
import type { Session } from '../../../src/contract/sessions.ts'
import { type Live, type Resource, stale, useLive } from '../live/resource.ts'
import { server } from '../live/server.ts'

const SHOWN = 200

/** The sessions that were updated last, of all projects, and all that are pinned: what the sidebar and the palette show. */
const recentSessions: Resource<readonly Session[]> = {
  key: 'sessions',
  async read() {
    const query = { project: '*', limit: SHOWN, pinned: true }
    const { value, seq } = await server.snapshot('GET /api/sessions', { query })
    return { value: value.items, seq }
  },
  interest: {},
  fold(sessions, event) {
    if (event.type === 'session.created') return stale
    if (event.type === 'session.deleted') return sessions.filter(({ id }) => id !== event.sessionId)
    if (isPinning(event) && sessions.every(({ id }) => id !== event.sessionId)) return stale
    return withChanged(sessions, event)
  },
}

export const useSessions = (): Live<readonly Session[]> => useLive(recentSessions)

const isPinning = (event: Event): boolean =>
  handleEvent<boolean>({ 'session.updated': ({ changed }) => changed.pinned === true }, event) ?? false

const FOUND = 50

/** Those that were updated longer ago too, by words of theirs. */
const sessionsNamed = (words: string): Resource<readonly Session[]> => ({
  key: `sessions named ${words}`,
  async read() {
    if (words === '') return { value: [] }
    const { items } = await server.call('GET /api/sessions', { query: { project: '*', q: words, limit: FOUND } })
    return { value: items }
  },
})

export const useSessionsNamed = (words: string): readonly Session[] => useLive(sessionsNamed(words)).value ?? []

/** One session. */
export const sessionResource = (id: string): Resource<Session> => ({
  key: `session ${id}`,
  read: () => server.snapshot('GET /api/sessions/{ref}', { params: { ref: id } }),
  interest: { session: id },
  fold: (session, event) => (event.sessionId === id ? fold(session, event) : session),
})

export const useSession = (id: string): Live<Session> => useLive(sessionResource(id))

/** What marks a chat in which an agent is only tried. */
export const scratch = { scratch: true } as const

export const isScratch = ({ attributes }: Session): boolean => attributes.scratch === true

function withChanged(sessions: readonly Session[], event: Event): readonly Session[] {
  const at = sessions.findIndex(({ id }) => id === event.sessionId)
  const session = sessions[at]
  if (session === undefined) return sessions
  const next = fold(session, event)
  return next === session ? sessions : sessions.with(at, next)
}
