import type { Event, EventType } from '../../../src/contract/events.ts'
import { type Live, type Resource, useLive } from '../live/resource.ts'
import { server } from '../live/server.ts'

/** What the record can be narrowed to. */
export const kinds = {
  sessions: [
    ...(['session.created', 'session.updated', 'session.status', 'session.cleared', 'session.compacted'] as const),
    ...(['session.switched', 'session.charged', 'session.closed', 'session.deleted', 'compaction.asked'] as const),
    ...(['compaction.started', 'compaction.failed'] as const),
  ],
  messages: [
    ...(['message.appended', 'message.changed', 'mail.accepted', 'mail.taken', 'mail.answered'] as const),
    ...(['mail.expired', 'mail.undeliverable'] as const),
  ],
  turns: ['turn.started', 'turn.ended', 'budget.reserved', 'budget.exceeded'],
  models: ['model.called', 'model.retried', 'model.queued', 'model.switched', 'model.settled'],
  tools: [
    ...(['tool.started', 'tool.ended', 'tool.loaded', 'tool.denied', 'call.parked', 'call.resumed'] as const),
    ...(['hook.ended', 'mcp.changed'] as const),
  ],
  tasks: [
    ...(['task.created', 'task.started', 'task.waiting', 'task.progress', 'task.retried'] as const),
    ...(['task.finished', 'task.failed', 'task.canceled'] as const),
  ],
  runs: [
    ...(['run.created', 'run.titled', 'run.status'] as const),
    ...(['node.created', 'node.changed', 'node.assigned', 'node.started'] as const),
    ...(['node.waiting', 'node.finished', 'node.publishing', 'node.published', 'node.failed'] as const),
    ...(['node.canceled', 'node.blocked', 'node.reopened', 'node.retried', 'node.suggested'] as const),
    ...(['node.checkpointed', 'stage.started', 'stage.reconvened', 'stage.completed'] as const),
    ...(['worker.spawned', 'worker.retired'] as const),
  ],
  inbox: ['inbox.added', 'inbox.answered', 'inbox.dismissed', 'inbox.expired'],
  triggers: ['trigger.created', 'trigger.changed', 'trigger.fired', 'trigger.missed', 'trigger.skipped'],
  memory: ['memory.written', 'todo.changed'],
  notes: ['log'],
} as const satisfies Record<string, readonly EventType[]>

export type Kind = keyof typeof kinds

export interface FeedFilter {
  readonly kinds: readonly Kind[]
  readonly session?: string | undefined
  readonly run?: string | undefined
}

/** So many are read at first, and so many are kept while more come. */
const READ = 1000
const KEPT = 5000

const feedOf = ({ kinds: chosen, session, run }: FeedFilter): Resource<readonly Event[]> => {
  const types = chosen.flatMap((kind): readonly EventType[] => kinds[kind])
  const query = {
    project: '*',
    newest: true,
    limit: READ,
    session,
    run,
    ...(types.length > 0 && { types: [...types] }),
  }
  return {
    key: `feed ${chosen.join()} ${session ?? ''} ${run ?? ''}`,
    async read() {
      const { items, seq } = await server.call('GET /api/events', { query })
      return { value: items, seq }
    },
    interest: { session, run, ...(types.length > 0 && { types: [...types] }) },
    fold: (events, event) => [...events.slice(-(KEPT - 1)), event],
  }
}

export const useFeed = (filter: FeedFilter): Live<readonly Event[]> => useLive(feedOf(filter))
