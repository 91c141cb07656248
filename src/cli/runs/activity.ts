import { type EventHandlers, handleEvent } from '../../contract/event-handlers.ts'
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
  const of = ({ sessionId = '' }: Event) => ({
    set: (line: string) => void lines.set(sessionId, line),
    end: () => void lines.delete(sessionId),
  })
  const handlers: EventHandlers<void> = {
    'turn.started': (_, event) => of(event).set('thinks'),
    'model.called': (_, event) => of(event).set('thinks'),
    'model.queued': ({ reason }, event) => of(event).set(`waits for its model: ${reason}`),
    'tool.started': ({ name, preview }, event) => of(event).set(previewLine(name, preview)),
    'call.parked': ({ name, inboxId }, event) => of(event).set(inboxId ? 'waits for you' : `${name} waits`),
    'call.resumed': (_, event) => of(event).set('goes on'),
    'turn.ended': (_, event) => of(event).end(),
  }
  return {
    note: (event) => void (event.sessionId && handleEvent(handlers, event)),
    of: (sessionId) => (sessionId === undefined ? undefined : lines.get(sessionId)),
  }
}
