import { expect, test } from 'vitest'
import type { SessionState } from '../../store/tables.ts'
import { acquit, countAnew, giveBack, hold, keepOpen, raise, resume, SUSPECT_AFTER, tellToStop, want } from './row.ts'
import { newSession } from './sessions.ts'

const project = { id: 'p', path: '/' }
const sessionIn = (state: Partial<SessionState>) => ({
  ...newSession(project, { agent: 'writer' }, 1, { workspace: '/', wakeBudget: 6, host: null, moves: 0 }),
  ...state,
})

test('a weaker word never takes back a stronger one', () => {
  const session = sessionIn({})
  const order = ['interrupt', 'pause', 'cancel', 'interrupt', 'pause', 'close', 'cancel'] as const
  const seen = order.map((signal) => {
    raise(session, signal)
    return session.signal
  })
  expect(seen).toEqual(['interrupt', 'pause', 'cancel', 'cancel', 'cancel', 'close', 'close'])
})

test('a person who resumes and then stops is heard', () => {
  const session = sessionIn({ signal: 'resume' })
  raise(session, 'cancel')
  expect(session.signal).toBe('cancel')
})

test('who stopped it is whoever said it first; a stronger word is a new one', () => {
  const session = sessionIn({})
  tellToStop(session, 'cancel', 'parent')
  tellToStop(session, 'cancel', 'human')
  expect(session).toMatchObject({ signal: 'cancel', stopped_by: 'parent' })
  tellToStop(session, 'close', 'human')
  tellToStop(session, 'cancel', 'parent')
  expect(session).toMatchObject({ signal: 'close', stopped_by: 'human' })
})

test.each([
  ['pause', null],
  ['interrupt', 'interrupt'],
  ['resume', 'resume'],
] as const)('of what was asked of a session that is held only the pause is done: %s', (signal, left) => {
  const session = sessionIn({ signal, status: 'running', wanted_at: 1, lease_owner: 'me', lease_until: 9, attempts: 2 })
  hold(session)
  expect(session).toMatchObject({ status: 'paused', reason: 'Paused by a person.', signal: left, wanted_at: null })
  expect(session).toMatchObject({ lease_owner: null, lease_until: null, attempts: 0 })
})

test.each([
  ['close', 'cancel'],
  ['pause', 'pause'],
  [null, null],
] as const)('mail keeps open what was about to close, and takes back nothing else: %s', (signal, left) => {
  const session = sessionIn({ signal })
  keepOpen(session)
  expect(session.signal).toBe(left)
})

test('an attempt that was given back does not count, and the session stays wanted', () => {
  const session = sessionIn({ wanted_at: 1, lease_owner: 'me', lease_until: 9, attempts: 1 })
  giveBack(session)
  expect(session).toMatchObject({ wanted_at: 1, lease_owner: null, lease_until: null, attempts: 0 })
  giveBack(session)
  expect(session.attempts).toBe(0)
})

test('a session is wanted since the first who wanted it', () => {
  const session = sessionIn({})
  want({ now: 5 }, session)
  want({ now: 7 }, session)
  expect(session.wanted_at).toBe(5)
})

test.each([
  ['paused', null, { status: 'idle', signal: null }],
  ['paused', 'turn_1', { status: 'waiting', signal: null }],
  ['error', null, { status: 'idle', signal: 'resume' }],
  ['error', 'turn_1', { status: 'waiting', signal: 'resume' }],
] as const)('one that is %s with turn %s goes on where it stopped', (status, turn_id, then) => {
  const session = sessionIn({ status, turn_id, reason: 'Why it stopped.' })
  resume({ now: 5 }, session)
  expect(session).toMatchObject({ ...then, reason: null, wanted_at: 5 })
})

test('one that made progress begins to count anew; one that lived alone is one crash from being a suspect', () => {
  const session = sessionIn({ wanted_at: 1, lease_owner: 'me', lease_until: 9, attempts: 7, checks: 2 })
  acquit(session)
  expect(session).toMatchObject({ wanted_at: 1, lease_owner: null, attempts: SUSPECT_AFTER - 1, checks: 3 })
  countAnew(session)
  expect(session).toMatchObject({ attempts: 1, checks: 0 })
})
