import type { Run } from '../../../src/contract/runs.ts'
import type { Session } from '../../../src/contract/sessions.ts'
import { useStatus } from './money.ts'
import { useRuns } from './runs.ts'
import { useSessions } from './sessions.ts'

/** A folder in which people and agents work, with what there is in it. */
export interface ProjectView {
  readonly folder: string
  readonly name: string
  readonly runs: readonly Run[]
  /** Of no run, by agent; pinned first, then the latest. */
  readonly agents: readonly { readonly name: string; readonly sessions: readonly Session[] }[]
}

/** The server's own project first. */
export function useProjects(): readonly ProjectView[] {
  const own = useStatus().value?.project
  const runs = useRuns().value ?? []
  const sessions = useSessions().value ?? []
  const folders = new Set([
    ...(own ? [own] : []),
    ...runs.map(({ project }) => project),
    ...sessions.map(({ project }) => project),
  ])
  return [...folders].map((folder) => ({
    folder,
    name: nameOf(folder),
    runs: runs.filter((run) => run.project === folder && run.archivedAt === undefined),
    agents: byAgent(sessions.filter((session) => session.project === folder && isListed(session))),
  }))
}

export const nameOf = (folder: string): string => folder.split(/[\\/]/).filter(Boolean).at(-1) ?? folder

/** Members of runs stand under their run, and what is over stands nowhere. */
const isListed = ({ runId, hidden, closedAt, mode }: Session): boolean =>
  runId === undefined && !hidden && closedAt === undefined && mode !== 'daemon'

function byAgent(sessions: readonly Session[]): ProjectView['agents'] {
  return [...Map.groupBy(sessions, ({ agent }) => agent)]
    .map(([name, own]) => ({ name, sessions: own.toSorted(byPinThenAge) }))
    .toSorted((a, b) => a.name.localeCompare(b.name))
}

const byPinThenAge = (a: Session, b: Session): number =>
  Number(b.pinnedAt !== undefined) - Number(a.pinnedAt !== undefined) || b.updatedAt.localeCompare(a.updatedAt)
