import type { Run } from '../../../src/contract/runs.ts'
import type { Session } from '../../../src/contract/sessions.ts'

interface Known {
  readonly sessions: readonly Session[]
  readonly runs: readonly Run[]
}

/** The view that this one belongs to. */
export function parentOf(pathname: string, { sessions }: Pick<Known, 'sessions'>): string {
  const [, noun, id, part] = pathname.split('/')
  if (noun === 'runs' && id !== undefined) return part === undefined ? '/runs' : `/runs/${id}`
  const session = noun === 'sessions' ? sessions.find((one) => one.id === id) : undefined
  if (session?.runId !== undefined) return `/runs/${session.runId}`
  return session?.parentSessionId === undefined ? '/' : `/sessions/${session.parentSessionId}`
}

/** The one before (-1) or behind (1) among its like: runs of a project, members of a run, conversations with an agent. */
export function siblingOf(pathname: string, known: Known, by: 1 | -1): string | undefined {
  const all = likeOf(pathname, known)
  const at = all.indexOf(pathname)
  return at === -1 ? undefined : all[at + by]
}

function likeOf(pathname: string, { sessions, runs }: Known): readonly string[] {
  const [, noun, id, part, name] = pathname.split('/')
  if (noun === 'runs' && part === 'workers' && name !== undefined) return members(sessions, id)
  if (noun === 'runs') {
    const run = runs.find((one) => one.id === id)
    return runs.filter(({ project }) => project === run?.project).map((one) => `/runs/${one.id}`)
  }
  const session = noun === 'sessions' ? sessions.find((one) => one.id === id) : undefined
  if (session === undefined) return []
  if (session.runId !== undefined) return members(sessions, session.runId)
  return sessions
    .filter(({ runId, agent, project }) => !runId && agent === session.agent && project === session.project)
    .toSorted((a, b) => b.createdAt.localeCompare(a.createdAt))
    .map((one) => `/sessions/${one.id}`)
}

const members = (sessions: readonly Session[], run: string | undefined): readonly string[] =>
  sessions
    .filter(({ runId }) => runId === run)
    .toSorted((a, b) => (a.worker ?? '').localeCompare(b.worker ?? ''))
    .map(({ id, worker }) =>
      worker === undefined ? `/sessions/${id}` : `/runs/${run}/workers/${encodeURIComponent(worker)}`,
    )
