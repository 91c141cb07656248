import { type EventHandlers, handleEvent } from '../contract/event-handlers.ts'
import type { Event } from '../contract/events.ts'

/** What a member of a run does right now, in a line. */

/** How a call of a tool is put into words. */
export type CallInWords = (name: string, preview: string) => string

/** The line after an event of a session: null when it does nothing any more, undefined when the event changes nothing. */
export const activityAfter = (event: Event, inWords: CallInWords): string | null | undefined =>
  handleEvent<string | null>(lines(inWords), event)

const lines = (inWords: CallInWords): EventHandlers<string | null> => ({
  'turn.started': () => 'thinks',
  'model.called': () => 'thinks',
  'model.queued': ({ reason }) => `waits for its model: ${reason}`,
  'tool.started': ({ name, preview }) => inWords(name, preview),
  'call.parked': ({ name, inboxId }) => (inboxId ? 'waits for you' : `${name} waits`),
  'call.resumed': () => 'goes on',
  'turn.ended': () => null,
})
