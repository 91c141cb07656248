import type { Event } from '../../contract/events.ts'
import { cutTo } from '../../lib/text.ts'
import type { Firing } from './action.ts'

const EVENT_CHARS = 4000

/** What the receiver is told about the event that fired the trigger: its words may be anybody's, so they are quoted. */
export const eventWords = ({ event }: Pick<Firing, 'event'>): string[] => (event === undefined ? [] : [lineOf(event)])

function lineOf({ type, at, sessionId, taskId, data }: Event): string {
  const about = { ...(sessionId && { sessionId }), ...(taskId && { taskId }), ...data }
  const text = `Event ${type} at ${at}: ${JSON.stringify(about)}`
  return cutTo(text, EVENT_CHARS, (missing) => `${missing} more characters; GET /api/events has the whole event`)
}
