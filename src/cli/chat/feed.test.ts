import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { fold } from '../../client/fold.ts'
import type { Event } from '../../contract/events.ts'
import { type From, type Message, noTokens } from '../../contract/messages.ts'
import { Session } from '../../contract/sessions.ts'
import { createChatFeed } from './feed.ts'
import { openPaper } from './paper.ts'
import { saidLines } from './said.ts'
import { usageOf } from './state.ts'
import { statusLine } from './status.ts'

const said = (text: string, more: Partial<Message> = {}): Message => ({
  id: 'msg_1',
  seq: 1,
  role: 'user',
  parts: [{ type: 'text', text }],
  from: { kind: 'human' },
  createdAt: '2026-01-01T00:00:00.000Z',
  ...more,
})

function openFeed() {
  const printed: string[] = []
  const paper = openPaper((lines) => printed.push(...lines.map(stripVTControlCharacters).filter(Boolean)))
  const feed = createChatFeed(undefined, { paper, width: () => 80, now: () => 0, changed: () => {} })
  return { feed, printed }
}

test('an answer that is faster than the record of what was said waits for it', () => {
  const { feed, printed } = openFeed()
  feed.told('Hello').accepted('mail_1')
  feed.viewer.piece('One.\n\nTwo.\n\nThree')
  expect([printed, feed.live('*')]).toEqual([[], []])
  feed.viewer.appended?.(said('Hello', { mailId: 'mail_1' }))
  feed.viewer.piece('.')
  expect(printed).toEqual(['› Hello', 'One.', 'Two.'])
  expect(feed.live('*').filter(Boolean)).toEqual(['Three.'])
})

test('what is said while it writes holds nothing up', () => {
  const { feed, printed } = openFeed()
  const at = '2026-01-01T00:00:00.000Z'
  feed.viewer.event?.({ seq: '1', at, type: 'turn.started', project: 'p', data: { turnId: 'turn_1', attempt: 1 } })
  feed.told('Wait').accepted('mail_1')
  feed.viewer.piece('One.\n\nTwo')
  expect(printed).toEqual(['One.'])
})

test.each<[From, string]>([
  [{ kind: 'agent', agent: 'researcher', handle: '6fe81234' }, '‹ researcher 6fe81234'],
  [{ kind: 'agent', agent: 'researcher', handle: '6fe8', asks: true }, '? researcher 6fe8 asks, and waits'],
  [{ kind: 'agent', agent: 'x\x1b[2J', handle: '6fe8' }, '‹ x[2J 6fe8'],
  [{ kind: 'system' }, '‹ system'],
])('what comes from %o begins with who wrote it', (from, head) => {
  expect(saidLines(said('# Found it', { from }), 80).map(stripVTControlCharacters)).toEqual([head, '  Found it'])
})

test('what a session uses is added up from every event that tells of it', () => {
  const at = '2026-01-01T00:00:00.000Z'
  let session = Session.parse({
    ...{ id: 'a'.repeat(32), handle: 'aaaa', agent: 'a', mode: 'chat', project: 'p', title: '', attributes: {} },
    ...{ status: 'idle', workspace: '/', messageCount: 0, tokens: noTokens, costUsd: 0, totalCostUsd: 0 },
    ...{ unpricedTokens: 0, compactionCount: 0, autoWakeBudget: 0, lastSnippet: '', readSeq: 0 },
    ...{ createdAt: at, updatedAt: at },
  })
  const tokens = { input: 10, output: 1, cached: 0, reasoning: 0 }
  const happens = (type: Event['type'], data: Record<string, unknown>) => {
    session = fold(session, { seq: '1', at, type, project: 'p', data })
  }
  happens('message.appended', { messageId: 'm', seq: 1, role: 'assistant', snippet: '', tokens, costUsd: 1 })
  happens('message.appended', { messageId: 'm', seq: 2, role: 'tool', snippet: '' })
  expect(usageOf(session)).toMatchObject({ tokens: 11, costUsd: 1, unpricedTokens: 0 })
  happens('model.settled', { turnId: 't', model: 'm', outcome: 'failed', tokens })
  happens('session.charged', { costUsd: 2, unpricedTokens: 5 })
  expect(usageOf(session)).toMatchObject({ tokens: 22, costUsd: 3, unpricedTokens: 16 })
  const shown = statusLine({ agent: 'a', ...usageOf(session), state: 'idle', spinner: '', hints: [] }, 80)
  expect(stripVTControlCharacters(shown)).toContain('at least $3.00')
})

test('the model at the bottom is the one that answers, also while the next step begins with another', () => {
  const { feed } = openFeed()
  const happens = (type: Event['type'], data: Record<string, unknown>) =>
    feed.viewer.event?.({ seq: '1', at: '2026-01-01T00:00:00.000Z', type, project: 'p', data })
  happens('model.called', { turnId: 't', model: 'lab/first', iteration: 1 })
  expect(feed.usage.model).toBe('lab/first')
  happens('model.switched', { from: 'lab/first', to: 'lab/second (own)', reason: 'No credit.' })
  expect(feed.usage.model).toBe('lab/second (own)')
  feed.viewer.appended?.(said('Yes.', { role: 'assistant', model: 'lab/second' }))
  happens('model.called', { turnId: 't', model: 'lab/first', iteration: 2 })
  expect(feed.usage.model).toBe('lab/second')
  happens('session.updated', { changed: { model: 'lab/third' } })
  expect(feed.usage.model).toBe('lab/third')
})
