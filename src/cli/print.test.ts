import { expect, test } from 'vitest'
import { ago, inColumns, oneLine, price } from './print.ts'
import { previewLine } from './transcript.ts'

test('a line is one line and bounded', () => {
  expect(oneLine(' a\n\nb\tc ')).toBe('a b c')
  expect(oneLine('x'.repeat(100), 10)).toBe(`${'x'.repeat(9)}…`)
})

test('a sentence is broken between words, keeps its margin, and is left whole where nobody reads columns', () => {
  expect(inColumns('warning: check its spelling', 16, '  ')).toBe('warning: check\n  its spelling')
  expect(inColumns('  one two\nthree', 7)).toBe('  one\ntwo\nthree')
  expect(inColumns('see /a/path/that/is/longer now', 10)).toBe('see\n/a/path/that/is/longer\nnow')
  expect(inColumns('exactly ten', 11)).toBe('exactly ten')
  expect(inColumns('one two', undefined)).toBe('one two')
})

test('a tool call is shown by its name and its most telling field, also when its input was cut', () => {
  expect(previewLine('bash', '{"timeout":5,"command":"npm test"}')).toBe('bash npm test')
  expect(previewLine('write_file', '{"path":"a.md","content":"lo')).toBe('write_file a.md')
})

test('times are told as people tell them', () => {
  const now = Date.parse('2030-01-03T12:00:00Z')
  expect(ago('2030-01-03T11:59:40Z', now)).toBe('just now')
  expect(ago('2030-01-03T11:15:00Z', now)).toBe('45m ago')
  expect(ago('2030-01-02T13:00:00Z', now)).toBe('23h ago')
  expect(ago('2030-01-01T00:00:00Z', now)).toBe('2d ago')
})

test('a cost that is not all known does not pass for one that is', () => {
  expect([price(0, 0), price(0.5, 0), price(2, 0)]).toEqual(['$0', '$0.5000', '$2.00'])
  expect([price(0.000_099, 0), price(0.0001, 0)]).toEqual(['under $0.0001', '$0.0001'])
  expect([price(0.000_099, 10), price(0.0001, 10)]).toEqual(['unknown price', 'at least $0.0001'])
  expect([price(0, 10), price(2, 10)]).toEqual(['unknown price', 'at least $2.00'])
})
