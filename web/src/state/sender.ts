import type { InboxItem } from '../../../src/contract/inbox.ts'
import { useRuns } from './runs.ts'
import { useSessions } from './sessions.ts'

/** Who an item is from, and what it is about: the run of a worker, or the task. */
export interface Sender {
  readonly name: string
  readonly about: string | undefined
}

/** Names senders as the sidebar does: a worker by its own name, another session by its agent. */
export function useSenders(): (item: InboxItem) => Sender {
  const sessions = useSessions().value ?? []
  const runs = useRuns().value ?? []
  return ({ from, waits, lineage }) => {
    const id = from.sessionId ?? waits[0]?.sessionId ?? lineage.findLast(({ kind }) => kind === 'session')?.id
    const session = sessions.find((one) => one.id === id)
    const run = runs.find((one) => one.id === session?.runId)
    const task = lineage.findLast(({ kind }) => kind === 'task')?.label
    return { name: session?.worker ?? from.agent ?? 'Troupe', about: run?.title ?? task ?? session?.title }
  }
}
