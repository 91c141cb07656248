import { expect, test } from 'vitest'
import { clean, visible, visibleJson } from './hidden.ts'

test('text of others cannot move the cursor, set a title, turn the reading direction or hide', () => {
  expect(clean('a\u001b[2Jb\u0007\u009b1mc\u202ed\r\ne\tf')).toBe('a[2Jb1mcd\ne\tf')
  expect(clean('a\u200bb\u2060c\ufeffd\u00ade\u{e0041}f\u2028g')).toBe('abcdefg')
})

test('scripts and emoji keep what joins them', () => {
  for (const text of ['👩‍👩‍👧 ❤️', 'می‌خواهم', 'grüße 日本\nnext', 'क्‍ष']) expect(clean(text)).toBe(text)
})

test('characters that change how a text looks are shown as what they are', () => {
  expect(visible('a\u202eb\u200bc\x1b[2K\rd\u00ade')).toBe('a\\u{202e}b\\u{200b}c\\u{1b}[2K\\u{d}d\\u{ad}e')
  expect(visible('rm\u00a0-rf\u3000x\u2028y')).toBe('rm\\u{a0}-rf\\u{3000}x\\u{2028}y')
  expect(visible('grüße 日本\nnext')).toBe('grüße 日本\nnext')
})

test('JSON says the same and shows nothing odd', () => {
  const value = { a: '\u009b2J\u202e\u200d\u007f \u{e0041} 日本 👩‍👧', '\u200b': ['\n'] }
  const json = visibleJson(JSON.stringify(value))
  expect(JSON.parse(json)).toEqual(value)
  expect(json).not.toMatch(/\p{C}|\p{Default_Ignorable_Code_Point}/u)
})
