import type { Event, EventData, EventType } from '../contract/events.ts'

/** An event whose data is known by its type. The server stores none that is not as the catalogue says. */
export interface EventOf<T extends EventType> extends Event {
  type: T
  data: EventData<T>
}

export const isEvent = <T extends EventType>(event: Event, type: T): event is EventOf<T> => event.type === type
