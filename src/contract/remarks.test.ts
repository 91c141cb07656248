import { expect, test } from 'vitest'
import type { Event, EventData, EventType } from './events.ts'
import { noTokens } from './messages.ts'
import { remarkOf } from './remarks.ts'

const at = '2026-01-01T00:00:00.000Z'
const said = <T extends EventType>(type: T, data: EventData<T>) => {
  const event: Event = { seq: '1', at, type, project: 'p', data }
  const remark = remarkOf(event)
  return remark && `${remark.kind}: ${remark.text}`
}
const ended = (end: EventData<'turn.ended'>['end'], reason: string) =>
  said('turn.ended', {
    turnId: 'turn_1',
    end,
    reason,
    iterations: 1,
    durationMs: 1,
    tokens: noTokens,
    costUsd: 0,
    totalCostUsd: 0,
    unpricedTokens: 0,
  })

test('an event that people have to know of has words of its own', () => {
  expect([
    ended('error', 'The key is wrong. Check it.'),
    ended('canceled', 'It was canceled.'),
    ended('limit', ''),
    said('model.retried', { model: 'a/a', attempt: 1, waitMs: 500, reason: 'It broke.' }),
    said('model.queued', { model: 'a/a', reason: 'Busy.', since: at, until: '2026-01-01T00:00:30.000Z' }),
    said('model.switched', { from: 'a/a', to: 'b/b', reason: 'Gone.' }),
    said('mail.undeliverable', { mailId: 'mail_1', reason: 'nobody there', state: 'dead' as never }),
    said('inbox.added', { inboxId: 'inbox_1', kind: 'notice', title: 'It stopped.' }),
  ]).toEqual([
    'failed: error: The key is wrong. Check it.',
    'stopped: canceled',
    'failed: limit',
    'waits: a/a is asked again: It broke.',
    'waits: a/a is asked in 30 s: Busy.',
    'switched: Now with b/b instead of a/a: Gone.',
    'failed: A message could not be delivered: nobody there',
    'note: It stopped.',
  ])
})

test('what goes as it should has none', () => {
  expect([ended('done', ''), said('inbox.added', { inboxId: 'inbox_1', kind: 'approval', title: 'x' })]).toEqual([
    undefined,
    undefined,
  ])
})
