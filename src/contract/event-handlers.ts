import type { Event, EventData, EventType } from './events.ts'

/** An event whose data is known by its type: the server stores only events that fit the catalogue. */
interface EventOf<T extends EventType> extends Event {
  type: T
  data: EventData<T>
}

export const isEvent = <T extends EventType>(event: Event, type: T): event is EventOf<T> => event.type === type

/** What to do about events, by type. Events of other types are ignored. */
export type EventHandlers<R> = { readonly [T in EventType]?: (data: EventData<T>, event: Event) => R }

export function handleEvent<R>(handlers: EventHandlers<R>, event: Event): R | undefined {
  const handler: ((data: never, event: Event) => R) | undefined = handlers[event.type]
  return handler?.(event.data as never, event)
}
