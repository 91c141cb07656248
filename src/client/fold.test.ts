import { expect, test } from 'vitest'
import { isEvent } from '../contract/event-handlers.ts'
import type { Event, EventData, EventType } from '../contract/events.ts'
import type { Session } from '../contract/sessions.ts'
import { fold, foldLog, placeOf } from './fold.ts'

const before = '2026-01-01T00:00:00.000Z'
const later = '2026-01-02T00:00:00.000Z'

const session: Session = {
  id: 'a'.repeat(32),
  handle: 'aaaa',
  agent: 'assistant',
  mode: 'chat',
  project: 'p',
  cameFrom: 'b'.repeat(32),
  title: 'Plans',
  attributes: {},
  model: 'lab/small',
  status: 'waiting',
  reason: 'It waits.',
  workspace: '/w',
  messageCount: 2,
  tokens: { input: 10, output: 20, cached: 3, reasoning: 4 },
  costUsd: 1,
  totalCostUsd: 5,
  unpricedTokens: 7,
  compactionCount: 0,
  autoWakeBudget: 3,
  lastSnippet: 'Before',
  readSeq: 0,
  createdAt: before,
  updatedAt: before,
}

const event = <T extends EventType>(type: T, data: EventData<T>): Event => ({
  seq: '1',
  at: later,
  type,
  project: 'p',
  sessionId: session.id,
  data,
})

const tokens = { input: 100, output: 10, cached: 1, reasoning: 2 }
const added = { input: 110, output: 30, cached: 4, reasoning: 6 }

test('a status takes the reason before it away and brings its own', () => {
  const { reason: _, ...rest } = session
  expect(fold(session, event('session.status', { from: 'waiting', to: 'idle' }))).toEqual({ ...rest, status: 'idle' })
  const failed = event('session.status', { from: 'waiting', to: 'error', reason: 'No key.' })
  expect(fold(session, failed)).toEqual({ ...session, status: 'error', reason: 'No key.' })
})

test('a closed session has its moment until it is opened again', () => {
  const closed = [
    event('session.closed', { by: 'human' }),
    event('session.status', { from: 'waiting', to: 'closed' }),
  ].reduce(fold, session)
  expect(closed).toMatchObject({ status: 'closed', closedAt: later })
  expect(fold(closed, event('session.status', { from: 'closed', to: 'idle' }))).not.toHaveProperty('closedAt')
})

test('changed fields are as they are now, and what became null is gone', () => {
  const changed = fold(session, event('session.updated', { changed: { title: 'Other', model: null, cameFrom: null } }))
  const { model: _, cameFrom: __, ...rest } = session
  expect(changed).toEqual({ ...rest, title: 'Other', updatedAt: later })
})

test('a pin keeps its moment, and that somebody has read it moves nothing', () => {
  const pinned = fold({ ...session, pinnedAt: before }, event('session.updated', { changed: { pinned: true } }))
  expect(pinned).toMatchObject({ pinnedAt: before, updatedAt: later })
  expect(fold(session, event('session.updated', { changed: { pinned: true } })).pinnedAt).toBe(later)
  expect(fold(pinned, event('session.updated', { changed: { pinned: false } }))).not.toHaveProperty('pinnedAt')
  const read = { ...session, readSeq: 2 }
  expect(fold(session, event('session.updated', { changed: { readSeq: 2 } }))).toEqual(read)
  const why = { ...session, reason: 'It waits for two.' }
  expect(fold(session, event('session.updated', { changed: { reason: 'It waits for two.' } }))).toEqual(why)
})

test('a message counts, shows its beginning and costs what it costs', () => {
  const said = { messageId: 'msg_1', seq: 3, role: 'assistant', snippet: 'Now', tokens } as const
  const seen = { ...session, messageCount: 3, lastSnippet: 'Now', updatedAt: later, tokens: added }
  expect(fold(session, event('message.appended', { ...said, costUsd: 2 }))).toEqual({
    ...seen,
    costUsd: 3,
    totalCostUsd: 7,
  })
  expect(fold(session, event('message.appended', said))).toEqual({ ...seen, unpricedTokens: 117 })
  const tool = { messageId: 'msg_2', seq: 3, role: 'tool', snippet: 'ls' } as const
  expect(fold(session, event('message.appended', tool))).toEqual({ ...session, messageCount: 3, updatedAt: later })
})

test('requests that failed and children cost too', () => {
  const settled = { turnId: 'turn_1', model: 'lab/small', outcome: 'failed', tokens, costUsd: 2 } as const
  expect(fold(session, event('model.settled', settled))).toEqual({
    ...session,
    tokens: added,
    costUsd: 3,
    totalCostUsd: 7,
  })
  expect(fold(session, event('session.charged', { costUsd: 2, unpricedTokens: 3 }))).toEqual({
    ...session,
    totalCostUsd: 7,
    unpricedTokens: 10,
  })
})

test('clearing empties it, mail and edits move it, and what says nothing about it leaves it alone', () => {
  const cleared = { ...session, messageCount: 0, lastSnippet: '', updatedAt: later }
  expect(fold(session, event('session.cleared', { messages: 2 }))).toEqual(cleared)
  const moved = { ...session, updatedAt: later }
  expect(fold(session, event('mail.accepted', { mailId: 'mail_1', outcome: 'queued', from: 'human' }))).toEqual(moved)
  expect(fold(session, event('message.changed', { messageId: 'msg_1', seq: 1, change: 'edited' }))).toEqual(moved)
  expect(fold(session, event('turn.started', { turnId: 'turn_1', attempt: 1 }))).toBe(session)
})

test('a log grows, marks what was changed, and is empty once cleared', () => {
  const whole = placeOf({ id: 'msg_1', seq: 1, role: 'user', parts: [], createdAt: before })
  const grown = foldLog(
    [whole],
    event('message.appended', { messageId: 'msg_2', seq: 2, role: 'assistant', snippet: '' }),
  )
  expect(grown).toEqual([whole, { id: 'msg_2', seq: 2, role: 'assistant', state: 'whole' }])
  const edited = foldLog(grown, event('message.changed', { messageId: 'msg_2', seq: 2, change: 'edited' }))
  expect(edited.map(({ state }) => state)).toEqual(['whole', 'edited'])
  expect(foldLog(edited, event('session.cleared', { messages: 2 }))).toEqual([])
  const deleted = placeOf({ ...whole, parts: [], createdAt: before, editedAt: later, deletedAt: later })
  expect([deleted.state, placeOf({ ...whole, parts: [], createdAt: before, editedAt: later }).state]).toEqual([
    'deleted',
    'edited',
  ])
})

test('an event is of its type and of no other', () => {
  const cleared = event('session.cleared', { messages: 2 })
  expect([isEvent(cleared, 'session.cleared'), isEvent(cleared, 'session.closed')]).toEqual([true, false])
})
