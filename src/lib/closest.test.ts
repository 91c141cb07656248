import { expect, test } from 'vitest'
import { closest } from './closest.ts'

const names = ['send', 'sessions', 'status', 'coder', 'researcher', 'cost', '4f2a']

test.each([
  ['sned', 'send'],
  ['Sesions', 'sessions'],
  ['resaercher', 'researcher'],
  ['research', 'researcher'],
  ['codr', 'coder'],
  ['coders', 'coder'],
  ['4f2b', '4f2a'],
  ['frobnicate', undefined],
  ['se', undefined],
  ['', undefined],
  ['x'.repeat(100_000), undefined],
])('for "%.20s" it offers %s', (word, meant) => {
  expect(closest(word, names)).toBe(meant)
})
