import type { ReactNode } from 'react'
import type { Event } from '../../../../src/contract/events.ts'
import { clock, duration } from '../../parts/figures.tsx'
import { Failed, Skeleton } from '../../parts/small.tsx'
import { useTaskEvents } from '../../state/tasks.ts'

const SHOWN = 60

/** Changes of state, model calls and tool calls, the newest on top. */
export function TaskEvents({ id }: { id: string }): ReactNode {
  const { value, failure, refresh } = useTaskEvents(id)
  if (value === undefined) return failure ? <Failed failure={failure} retry={refresh} /> : <Skeleton />
  const told = value.map((event) => ({ event, says: sentence(event) })).filter(({ says }) => says !== undefined)
  if (told.length === 0) return <p className="mute small">Nothing yet.</p>
  return (
    <ol className="detail-events">
      {told
        .slice(-SHOWN)
        .toReversed()
        .map(({ event, says }) => (
          <li key={event.seq}>
            <time className="num">{clock(event.at)}</time>
            <span title={event.type}>{says}</span>
          </li>
        ))}
      {told.length > SHOWN && <li className="mute">and {told.length - SHOWN} before</li>}
    </ol>
  )
}

/** An event in a few words; undefined for those that only the record needs. */
function sentence({ type, data }: Event): string | undefined {
  const { name, preview, reason, message, model, durationMs, ok } = data as Record<string, string | undefined>
  switch (type) {
    case 'task.created':
      return 'given'
    case 'task.started':
      return 'begun'
    case 'task.waiting':
      return reason ?? 'waits'
    case 'task.progress':
      return message
    case 'task.retried':
      return 'tried again'
    case 'task.finished':
      return 'done'
    case 'task.failed':
      return `failed: ${reason}`
    case 'task.canceled':
      return `canceled: ${reason}`
    case 'model.called':
      return `asks ${model}`
    case 'model.retried':
      return `asks ${model} again: ${reason}`
    case 'tool.started':
      return `${name} ${preview ?? ''}`.slice(0, 300)
    case 'tool.ended':
      return ok ? `${name} took ${duration(Number(durationMs))}` : `${name} failed: ${preview ?? ''}`.slice(0, 300)
    case 'tool.denied':
      return `${name} was denied: ${reason}`
    case 'call.parked':
      return `${name} waits`
    case 'turn.ended':
      return `turn over: ${reason}`
    default:
      return undefined
  }
}
