import { expect, test } from 'vitest'
import type { Event, EventData, EventType } from '../contract/events.ts'
import type { Message } from '../contract/messages.ts'
import { inOrder } from './replay.ts'

const at = '2026-01-01T00:00:00.000Z'
const message = (seq: number): Message => ({ id: `msg_${seq}`, seq, role: 'user', parts: [], createdAt: at })
const event = <T extends EventType>(type: T, data: EventData<T>): Event => ({ seq: '1', at, type, project: 'p', data })
const appended = (seq: number): Event =>
  event('message.appended', { messageId: `msg_${seq}`, seq, role: 'user', snippet: '' })
const switched = (reason: string): Event => event('model.switched', { from: 'a/a', to: 'b/b', reason })

const told = (messages: readonly Message[], events: readonly Event[]): string[] =>
  [...inOrder(messages, events)].map((step) =>
    'message' in step
      ? `${step.hasEvent ? 'message' : 'bare message'} ${step.message.seq}`
      : `${step.early ? 'early ' : ''}${step.event.data.reason}`,
  )

test('what happened between two messages is told between them', () => {
  const events = [appended(1), switched('x'), appended(2), switched('y')]
  expect(told([message(1), message(2)], events)).toEqual(['message 1', 'x', 'message 2', 'y'])
})

test('what happened before the first message that is shown is early', () => {
  expect(told([message(2)], [appended(1), switched('x'), appended(2), switched('y')])).toEqual([
    'early x',
    'message 2',
    'y',
  ])
})

test('messages without an event, as a copy of a session has them, keep their place', () => {
  expect(told([message(1), message(2), message(3)], [appended(2), switched('x')])).toEqual([
    'bare message 1',
    'message 2',
    'x',
    'bare message 3',
  ])
})

test('nothing from before the history was cleared is told', () => {
  const events = [appended(1), switched('x'), event('session.cleared', { messages: 1 }), appended(1)]
  expect(told([message(1)], events)).toEqual(['message 1'])
})
