import { expect, test } from 'vitest'
import type { Run } from '../../src/contract/runs.ts'
import type { Session } from '../../src/contract/sessions.ts'
import { parentOf, siblingOf } from '../../web/src/shell/steps.ts'

const session = (id: string, more: Partial<Session> = {}) =>
  ({ id, agent: 'ann', project: 'p', createdAt: id, ...more }) as Session
const known = {
  runs: [
    { id: 'r2', project: 'p' },
    { id: 'other', project: 'q' },
    { id: 'r1', project: 'p' },
  ] as unknown as Run[],
  sessions: [
    session('s1'),
    session('s2', { parentSessionId: 's1' as Session['id'] }),
    session('elsewhere', { project: 'q' }),
    session('lead', { runId: 'r1' as Session['runId'] }),
    session('w1', { runId: 'r1' as Session['runId'], worker: 'Ben Two' }),
  ],
}

test('up leads to what a view belongs to', () => {
  const up = (path: string): string => parentOf(path, known)
  expect(['/sessions/s2', '/sessions/s1', '/sessions/lead', '/inbox'].map(up)).toEqual([
    '/sessions/s1',
    '/',
    '/runs/r1',
    '/',
  ])
  expect(['/runs/r1/workers/Ben', '/runs/r1/files', '/runs/r1', '/runs'].map(up)).toEqual([
    ...['/runs/r1', '/runs/r1', '/runs', '/'],
  ])
})

test('the next and the one before are of the same run, the same agent, the same project', () => {
  const next = (path: string) => siblingOf(path, known, 1)
  expect([next('/runs/r2'), next('/runs/r1'), siblingOf('/runs/r1', known, -1)]).toEqual([
    '/runs/r1',
    undefined,
    '/runs/r2',
  ])
  expect(next('/sessions/lead')).toBe('/runs/r1/workers/Ben%20Two')
  expect(siblingOf('/runs/r1/workers/Ben%20Two', known, -1)).toBe('/sessions/lead')
  expect([next('/sessions/s2'), next('/sessions/s1'), next('/inbox')]).toEqual(['/sessions/s1', undefined, undefined])
})
