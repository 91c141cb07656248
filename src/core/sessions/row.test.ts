import { expect, test } from 'vitest'
import type { SessionRow } from '../../store/tables.ts'
import { raise } from './row.ts'

test('a weaker word never takes back a stronger one', () => {
  const session = { signal: null } as SessionRow
  const order = ['interrupt', 'pause', 'cancel', 'interrupt', 'pause', 'close', 'cancel'] as const
  const seen = order.map((signal) => {
    raise(session, signal)
    return session.signal
  })
  expect(seen).toEqual(['interrupt', 'pause', 'cancel', 'cancel', 'cancel', 'close', 'close'])
})

test('a person who resumes and then stops is heard', () => {
  const session = { signal: 'resume' } as SessionRow
  raise(session, 'cancel')
  expect(session.signal).toBe('cancel')
})
