import type { Event, EventData, EventType } from '../contract/events.ts'

/** An event whose data is known by its type. The server stores none that is not as the catalogue says. */
export interface EventOf<T extends EventType> extends Event {
  type: T
  data: EventData<T>
}

export const isEvent = <T extends EventType>(event: Event, type: T): event is EventOf<T> => event.type === type

/** What is done about events, by type; the others are let go by. */
export type EventHandlers<R> = { readonly [T in EventType]?: (data: EventData<T>, event: Event) => R }

export function handleEvent<R>(handlers: EventHandlers<R>, event: Event): R | undefined {
  const handler: ((data: never, event: Event) => R) | undefined = handlers[event.type]
  return handler?.(event.data as never, event)
}
