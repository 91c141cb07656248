import { activityAfter } from '../../client/activity.ts'
import type { Event } from '../../contract/events.ts'
import { previewLine } from '../transcript.ts'

/** What each member of a run does right now, in a line. */
export interface Activities {
  note(event: Event): void
  /** Undefined while the session does nothing. */
  of(sessionId: string | undefined): string | undefined
}

export function createActivities(): Activities {
  const lines = new Map<string, string>()
  return {
    note(event) {
      const line = event.sessionId && activityAfter(event, previewLine)
      if (line) lines.set(event.sessionId!, line)
      else if (line === null) lines.delete(event.sessionId!)
    },
    of: (sessionId) => (sessionId === undefined ? undefined : lines.get(sessionId)),
  }
}
