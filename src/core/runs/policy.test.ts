import { expect, test } from 'vitest'
import type { NodeStatus } from '../../contract/runs.ts'
import { isMet } from './policy.ts'

const members = (...statuses: (NodeStatus | 'checkpointed')[]) =>
  statuses.map((status) =>
    status === 'checkpointed' ? { status: 'processing' as const, checkpointed: true } : { status, checkpointed: false },
  )

test('all: every node has ended, in whatever way, or has recorded how far it is', () => {
  expect(isMet('all', members('finished', 'processing'))).toBe(false)
  expect(isMet('all', members('finished', 'failed', 'canceled', 'blocked', 'checkpointed'))).toBe(true)
})

test('majority: more than half have a result, or cannot have one any more', () => {
  expect(isMet('majority', members('finished', 'pending'))).toBe(false)
  expect(isMet('majority', members('finished', 'checkpointed', 'pending'))).toBe(true)
  expect(isMet('majority', members('failed', 'blocked', 'pending', 'waiting'))).toBe(true)
  expect(isMet('majority', members('failed', 'pending', 'waiting'))).toBe(false)
})

test('any: one has a result, or all have ended', () => {
  expect(isMet('any', members('failed', 'pending'))).toBe(false)
  expect(isMet('any', members('failed', 'finished', 'pending'))).toBe(true)
  expect(isMet('any', members('failed', 'canceled'))).toBe(true)
})
