import type { ProjectInfo } from '../../../src/contract/projects.ts'
import type { Run } from '../../../src/contract/runs.ts'
import type { Session } from '../../../src/contract/sessions.ts'
import { type Live, type Resource, stale, useLive } from '../live/resource.ts'
import { server } from '../live/server.ts'
import { useRuns } from './runs.ts'
import { isScratch, useSessions } from './sessions.ts'

/** The folders in which agents work, the server's own first. */
const projects: Resource<readonly ProjectInfo[]> = {
  key: 'projects',
  async read() {
    const { value, seq } = await server.snapshot('GET /api/projects', {})
    return { value: value.items, seq }
  },
  interest: { types: ['session.created', 'run.created'] },
  // A project is new when something happens in it for the first time.
  fold: (known, event) => (known.some(({ id }) => id === event.project) ? known : stale),
}

export const useProjects = (): Live<readonly ProjectInfo[]> => useLive(projects)

/** A project with what there is in it. */
export interface ProjectView extends ProjectInfo {
  readonly runs: readonly Run[]
  /** Of no run, by agent; pinned first, then the latest. */
  readonly agents: readonly { readonly name: string; readonly sessions: readonly Session[] }[]
}

export function useProjectViews(): readonly ProjectView[] {
  const runs = useRuns().value ?? []
  const sessions = useSessions().value ?? []
  return (useProjects().value ?? []).map((info) => ({
    ...info,
    runs: runs.filter((run) => run.project === info.id && run.archivedAt === undefined),
    agents: byAgent(sessions.filter((session) => session.project === info.id && isListed(session))),
  }))
}

/** Members of runs stand under their run; what is over, and chats that only try an agent, stand nowhere. */
const isListed = (session: Session): boolean => {
  const { runId, hidden, closedAt, mode } = session
  return runId === undefined && !hidden && closedAt === undefined && mode !== 'daemon' && !isScratch(session)
}

function byAgent(sessions: readonly Session[]): ProjectView['agents'] {
  return [...Map.groupBy(sessions, ({ agent }) => agent)]
    .map(([name, own]) => ({ name, sessions: own.toSorted(byPinThenAge) }))
    .toSorted((a, b) => a.name.localeCompare(b.name))
}

const byPinThenAge = (a: Session, b: Session): number =>
  Number(b.pinnedAt !== undefined) - Number(a.pinnedAt !== undefined) || b.updatedAt.localeCompare(a.updatedAt)
