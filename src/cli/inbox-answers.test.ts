import { expect, test } from 'vitest'
import type { InboxItem } from '../contract/inbox.ts'
import { answerMeantBy, choicesFor } from './inbox-answers.ts'
import { commandFor } from './inbox-items.ts'

const item = (more: Partial<InboxItem>): InboxItem => ({
  id: 'inbox_1',
  kind: 'approval',
  status: 'open',
  project: 'p',
  title: 't',
  body: '',
  from: { kind: 'agent' },
  lineage: [],
  waits: [],
  createdAt: '2026-01-01T00:00:00.000Z',
  ...more,
})

test.each([
  ['o', { decision: 'once' }],
  ['yes', { decision: 'once' }],
  [' s ', { decision: 'session' }],
  ['Always', { decision: 'always' }],
  ['d', { decision: 'deny' }],
  ['no: not on my machine', { decision: 'deny', reason: 'not on my machine' }],
])('an approval takes "%s"', (text, answer) => {
  expect(answerMeantBy(item({}), text)).toEqual(answer)
})

test.each(['a better idea: use make', 'only if it is safe', 'yes please', 'sure'])(
  'a sentence that only begins like a permission gives none: "%s"',
  (text) => {
    expect(() => answerMeantBy(item({}), text)).toThrow('o (once), s (session), a (always) or d (deny)')
  },
)

test('a question takes a number for its option and any other words as they are', () => {
  const question = item({ kind: 'question', options: ['red', 'green'] })
  expect(answerMeantBy(question, '2')).toEqual({ answer: 'green' })
  expect(answerMeantBy(question, 'neither')).toEqual({ answer: 'neither' })
  expect(choicesFor(question).map(({ says }) => says('2'))).toEqual([false, true])
})

test.each([
  ['inbox_0a1b2c3d4e5f', '0a1b2c3d'],
  ['inbox_price_0a1b_1', 'price_0a1b_1'],
])('the command for %s names as much of the id as tells it from others', (id, shown) => {
  expect(commandFor(item({ id, kind: 'notice' }))).toMatch(new RegExp(` inbox dismiss ${shown}$`))
})
