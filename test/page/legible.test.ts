import { expect, test } from 'vitest'
import { legible } from '../../web/src/state/legible.ts'

test('of signs that are piled on a letter as many stay as a script may need', () => {
  expect(legible(`e${'\u0301'.repeat(5000)}!`)).toBe(`e${'\u0301'.repeat(12)}…!`)
  for (const word of ['naïve e\u0301te\u0301', 'नमस्ते', 'สวัสดี', '👩‍👩‍👧‍👦 ❤️']) expect(legible(word)).toBe(word)
})

test('what turns the direction of reading is shown as what it is', () => {
  expect(legible('\u202Egnp.exe')).toBe('\\u{202e}gnp.exe')
})
