import { expect, test } from 'vitest'
import { decisions, settledAs, whoseItem } from './items.ts'

test('an item is the subject of a sentence, whatever it is', () => {
  expect(whoseItem({ kind: 'question' }, 'coder 1a2b')).toBe('The question of coder 1a2b')
  expect(whoseItem({ kind: 'message' }, 'coder 1a2b')).toBe('The message of coder 1a2b')
  expect(whoseItem({ kind: 'approval' }, 'coder 1a2b')).toBe('The approval that coder 1a2b asks for')
  expect(whoseItem({ kind: 'notice' }, 'coder 1a2b')).toBe('The notice about coder 1a2b')
  expect(whoseItem({ kind: 'notice' }, undefined)).toBe('The notice')
})

test.each([
  ['answered', 'human', 'was answered by you'],
  ['answered', 'human via team', 'was answered by you (team)'],
  ['answered', 'mail_1', 'was answered by your message to the session'],
  ['answered', 'call_1', 'was answered by an agent in your place'],
  ['answered', 'nobody, by what was said', 'was answered with its first option, because nobody was there'],
  ['answered', 'session 1a2b3c4d', 'was answered by session 1a2b3c4d'],
  ['dismissed', 'human', 'was put away by you'],
  ['dismissed', 'human via device_1', 'was put away by you (device_1)'],
  ['dismissed', 'The server is back.', 'was closed: The server is back'],
  ['dismissed', null, 'was closed'],
  ['expired', 'nobody, by what was said', 'expired, because nobody answered in time'],
] as const)('an item that is %s by "%s" %s', (status, answered_by, says) => {
  expect(settledAs({ status, answered_by }, (text) => text)).toBe(says)
})

test('what waits for a decision says what stands still, and every command names the item', () => {
  for (const { until, unblock } of Object.values(decisions)) {
    expect(until).toMatch(/^[a-z].*[^.]$/)
    const commands = unblock('inbox_1').map(({ command }) => command)
    expect(commands.length).toBeGreaterThan(1)
    for (const command of commands) expect(command).toMatch(/^troupe inbox (answer|approve|deny|dismiss) inbox_1\b/)
  }
})
