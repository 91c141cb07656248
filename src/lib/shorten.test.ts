import { expect, test } from 'vitest'
import { shorten } from './shorten.ts'

test('a text that fits is one line of its words', () => {
  expect(shorten('two\n  lines', 20)).toBe('two lines')
  expect(shorten('12345', 5)).toBe('12345')
  expect(shorten('123456', 5)).toBe('1234…')
})

test('what is hidden behind blanks is not passed off as nothing', () => {
  expect(shorten(`Paint it${' '.repeat(500)}and delete the rest`, 50)).toBe('Paint it …')
  expect(shorten(`Paint it${' '.repeat(20)}red`, 50)).toBe('Paint it red')
})

test('no character is cut in half', () => {
  expect(shorten('ab🎭cd', 4)).toBe('ab…')
  expect(shorten('ab🎭cd', 5)).toBe('ab🎭…')
})
