import type { Run } from '../../../../src/contract/runs.ts'
import type { TopItem } from '../../../../src/contract/top.ts'
import { askers, useInbox } from '../../state/inbox.ts'
import { useRuns } from '../../state/runs.ts'
import { useSessions } from '../../state/sessions.ts'
import { useTop } from '../../state/top.ts'

/** A run or a session that is not at rest, with what it does right now. */
export type AtWork =
  | { readonly run: Run; readonly sentence: string | undefined; readonly members: readonly TopItem[] }
  | { readonly session: TopItem }

/** Runs that are open, then sessions of no run that do something or wait. Those that wait for the person need them, and stand there. */
export function useAtWork(): readonly AtWork[] {
  const runs = useRuns().value ?? []
  const sessions = useSessions().value ?? []
  const items = useTop().value?.items ?? []
  const asking = askers(useInbox().value)
  const runOf = new Map(
    sessions.flatMap(({ id, runId }) => (runId === undefined ? [] : [[id as string, runId as string]])),
  )
  const nameOf = new Map(sessions.map(({ id, worker, agent }) => [id as string, worker ?? agent]))
  const open = runs.filter(isOpen).map((run): AtWork => {
    const members = items.filter(({ sessionId }) => runOf.get(sessionId) === run.id)
    const busy = members.find(({ status }) => status === 'running') ?? members[0]
    const sentence = busy ? `${nameOf.get(busy.sessionId) ?? busy.agent}: ${busy.activity}` : run.reason
    return { run, sentence, members }
  })
  const alone = items.filter(({ sessionId }) => !runOf.has(sessionId) && !asking.has(sessionId))
  return [...open, ...alone.map((session): AtWork => ({ session }))]
}

/** How many of them go on: what is paused stands still. */
export const working = (all: readonly AtWork[]): number =>
  all.filter((one) => ('run' in one ? one.run : one.session).status !== 'paused').length

export const isOpen = ({ status, archivedAt }: Run): boolean =>
  archivedAt === undefined && (status === 'working' || status === 'waiting' || status === 'paused')
