import { isEvent } from '../contract/event-handlers.ts'
import type { Event } from '../contract/events.ts'
import type { Message } from '../contract/messages.ts'

type Step =
  /** Without its own event nothing else tells of the calls in it. */
  | { readonly message: Message; readonly hasEvent: boolean }
  /** `early`: it happened before the first of the messages. */
  | { readonly event: Event; readonly early: boolean }

/** Messages and events of one session in the order in which they were written. */
export function* inOrder(messages: readonly Message[], events: readonly Event[]): Iterable<Step> {
  const from = messages[0]?.seq ?? 1
  const left = [...messages]
  const cleared = events.findLastIndex(({ type }) => type === 'session.cleared')
  let position = 0
  for (const event of events.slice(cleared + 1)) {
    if (!isEvent(event, 'message.appended')) {
      yield { event, early: position < from }
      continue
    }
    position = event.data.seq
    while (left[0] && left[0].seq <= position) {
      const message = left.shift()!
      yield { message, hasEvent: message.seq === position }
    }
  }
  for (const message of left) yield { message, hasEvent: false }
}

/** The same event read twice, once as history and once live; its `seq` may differ from reader to reader. */
export const eventName = ({ type, at, data }: Event): string => `${type} ${at} ${JSON.stringify(data)}`
