import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { outcomesIn, resultInWords } from '../../client/outcomes.ts'
import type { InboxItem } from '../../contract/inbox.ts'
import type { Todo } from '../../contract/sessions.ts'
import { cells } from './cells.ts'
import { checklist, checklistInShort } from './checklist.ts'
import { askedLines, dock, dockHints } from './dock.ts'
import { remarkLines } from './remark-lines.ts'
import { createTurnClock } from './turn-clock.ts'

const plain = (lines: readonly string[]): string[] => lines.map(stripVTControlCharacters)

test('a remark is wrapped and never cut, and the codes of others are not in it', () => {
  const text = `\x1b[31m${'not accepted '.repeat(30)}${'漢字'.repeat(60)} the end`
  const lines = plain(remarkLines({ kind: 'failed', text }, 60))
  expect(lines.every((line) => cells(line) <= 60)).toBe(true)
  expect(lines[0]).toMatch(/^ {2}✗ \[31mnot accepted/)
  expect(lines.at(-1)).toMatch(/the end$/)
  expect(lines.join('').match(/漢/g)).toHaveLength(60)
})

test('the time of a turn leaves out the time in which the person was asked', () => {
  const clock = createTurnClock()
  expect(clock.worked(5)).toBeUndefined()
  clock.begin(1000)
  clock.asks('a', 3000)
  clock.asks('b', 4000)
  expect(clock.worked(9000)).toBe(2000)
  clock.goesOn('a', 10_000)
  expect(clock.worked(11_000)).toBe(2000)
  clock.goesOn('b', 12_000)
  expect(clock.worked(13_000)).toBe(3000)
  clock.end()
  expect(clock.worked(14_000)).toBeUndefined()
})

const todo = (content: string, status: Todo['status']): Todo => ({ content, status, priority: 'medium' })

test('a checklist has a mark for each state', () => {
  const list = [todo('a', 'completed'), todo('b', 'in_progress'), todo('c', 'pending'), todo('d', 'canceled')]
  expect(plain(checklist(list, 40))).toEqual(['  ☑ a', '  ▸ b', '  ☐ c', '  ☒ d'])
  expect(plain(checklistInShort(list, 40))).toEqual(['☐ 2 of 4 open · b'])
  expect(checklistInShort([todo('a', 'completed')], 40)).toEqual([])
})

test('of a long checklist the part around what is being done is shown', () => {
  const list = Array.from({ length: 30 }, (_, at) => todo(`step ${at}`, at < 20 ? 'completed' : 'pending'))
  const lines = plain(checklist(list, 40))
  expect([lines[0], lines.at(-2), lines.at(-1)]).toEqual(['  ☑ step 18', '  ☐ step 25', '  +22 more, 10 of 30 open'])
})

const item = (more: Partial<InboxItem>): InboxItem => ({
  id: 'inbox_1',
  kind: 'approval',
  status: 'open',
  project: 'p',
  title: 'coder wants to use bash',
  body: '',
  from: { kind: 'agent', agent: 'coder', handle: '4f2a' },
  lineage: [],
  waits: [],
  createdAt: '2026-01-01T00:00:00.000Z',
  ...more,
})
const place = { width: 60, height: 12, opened: false }

test('an approval says which rules "always" writes, each in a line', () => {
  const lines = plain(dock(item({ rules: ['bash(a)', 'bash(b\nc)'] }), 'a', 0, place))
  expect(lines.slice(2)).toEqual([
    '    o allow this one',
    '    s allow the same again in this session',
    '  ▸ a always allow in this project:',
    '      bash(a)',
    '      bash(b⏎c)',
    '    d deny; behind it you may say why',
  ])
})

test('without a rule to keep only this one call can be allowed', () => {
  const asked = item({ rules: [] })
  expect(plain(dock(asked, '', 2, place))).toEqual([
    '? approval from coder 4f2a  (2 more after this)',
    '  coder wants to use bash',
    '    o allow this one',
    '    d deny; behind it you may say why',
  ])
  expect(dockHints(asked).at(-1)).toBe('o d')
})

test('what is too long for the screen is folded with the key that shows all of it, and its choices stay', () => {
  const body = Array.from({ length: 40 }, (_, at) => `+ line ${at}`).join('\n')
  const lines = plain(dock(item({ body }), '', 0, place))
  expect(lines.filter((line) => line.includes('line '))).toHaveLength(7)
  expect(lines).toContain('  … 33 more lines · Ctrl-O shows all')
  expect(lines.at(-1)).toContain('d deny')
  expect(askedLines(item({ body }), 60)).toHaveLength(40)
  expect(plain(dock(item({ body }), '', 0, { ...place, opened: true })).join()).not.toContain('line')
})

test('no row of a wrapped value begins where a line of ours does', () => {
  const rows = plain(askedLines(item({ body: `command: ${'x '.repeat(60)}Asked because fine.` }), 60))
  expect(rows.length).toBeGreaterThan(2)
  expect(rows.slice(1).every((row) => row.startsWith('    '))).toBe(true)
})

const answer = { agent: 'coder', session: '4f2a', status: 'complete', response: 'Two.', durationMs: 5, costUsd: 1 }

test('the results of agents are read as words, other data as a line for each field', () => {
  expect(outcomesIn(answer)).toEqual([
    { agent: 'coder', session: '4f2a', ok: true, durationMs: 5, costUsd: 1, unpricedTokens: 0, text: 'Two.' },
  ])
  const task = { ...answer, response: undefined, status: 'failed', error: 'No.' }
  expect(outcomesIn({ tasks: [task, { ...task, status: 'processing' }] }).map(({ ok }) => ok)).toEqual([
    false,
    undefined,
  ])
  expect(resultInWords({ tasks: [answer, task] })).toBe('coder 4f2a:\nTwo.\ncoder 4f2a:\nNo.')
  expect(resultInWords({ mailId: 'mail_1', created: true })).toBe('mailId: mail_1\ncreated: true')
  expect([resultInWords('plain'), resultInWords([1])]).toEqual(['plain', '[\n  1\n]'])
})
