import { describe, expect, test } from 'vitest'
import { createMask, maskJson } from './mask.ts'
import { maskStream } from './mask-stream.ts'

const token = 'canary-token-58a1e2'
const quoted = 'canary"with\\quotes-91'
const shaped = 'ghp_0123456789abcdefghijklmnopqrstuvwxyz'
const block = `-----BEGIN RSA PRIVATE KEY-----\n${'MIIEpAIBAAKCAQEA7'.repeat(8)}\n-----END RSA PRIVATE KEY-----`
const mask = createMask(() => known)
const known = [token, quoted, 'password1234']

test('known values and what looks like a key are hidden, in every spelling', () => {
  expect(mask(`a ${token} b ${shaped} c`)).toBe('a [secret] b [secret] c')
  expect(mask(JSON.stringify({ quoted }))).toBe('{"quoted":"[secret]"}')
  expect(mask(block)).toBe('[secret]')
  expect(mask('key=AKIAIOSFODNN7EXAMPLE sk-ant-api03-abcdefghijklmnopqrstuvwxyz')).toBe('key=[secret] [secret]')
})

test('of two secrets of which one begins the other, nothing of either is left; what is too short is no secret', () => {
  for (const values of [
    ['abcdefgh', 'abcdefgh-rest-of-it'],
    ['abcdefgh-rest-of-it', 'abcdefgh'],
  ])
    expect(createMask(() => values)('say abcdefgh-rest-of-it, abcdefgh')).toBe('say [secret], [secret]')
  expect(createMask(() => ['abcdefg'])('say abcdefg, twice')).toBe('say abcdefg, twice')
})

test('a key that has ended, or that never was one, holds nothing back', () => {
  expect(mask.unfinished?.('see sk-abc and other words')).toBe(0)
  expect(mask.unfinished?.('see other words and sk-abc')).toBe('sk-abc'.length)
  expect(mask.unfinished?.(`x ${token.slice(0, 3)}`)).toBe(0)
  expect(mask.unfinished?.(`x ${token.slice(0, 4)}`)).toBe(4)
})

test('a long text with a secret is masked each time it comes, and so is one that became a secret later', () => {
  const values = [[token], [token, 'later-secret-77']]
  const remembering = createMask(() => values[0]!)
  const long = 'later-secret-77 '.padEnd(500, 'x')
  for (let time = 0; time < 2; time++) {
    expect(remembering(`${token} ${long}`)).toBe(`[secret] ${long}`)
    expect(remembering(long)).toBe(long)
  }
  values.shift()
  expect(remembering(long)).toBe(long.replace('later-secret-77', '[secret]'))
})

test('a text that is nothing but beginnings of keys is looked through all the same, however long', () => {
  for (const beginning of ['eyJ', 'sk-', 'ghp_', 'AKIA', '-----BEGIN ', 'xoxb-'])
    expect(mask(beginning.repeat(500_000)).length).toBeGreaterThan(0)
})

test('a word that only ends like the beginning of a key stays', () => {
  for (const text of ['docs/task-runner-configuration-guide.md', 'disk-encryption-and-configuration-notes'])
    expect(mask(text)).toBe(text)
})

test('data in which a key’s beginning occurs by chance stays as it is', () => {
  const run = 'iVBORw0KGgoAAAANSUhEUgAA'
  for (const data of [`${run}AIza${run}${run}`, `${run}AKIA${'A'.repeat(16)}${run}`, `gAAAAAB${run}sk-${run}${run}`])
    expect(mask(data)).toBe(data)
})

test('what was JSON stays JSON, whatever the secret looks like', () => {
  const odd = createMask(() => ['":1,"b":"'])
  expect(JSON.parse(maskJson(odd, '{"a":1,"b":"x"}'))).toEqual({ a: 1, b: 'x' })
  expect(maskJson(mask, `{"a": "${token}"}`)).toBe('{"a": "[secret]"}')
})

describe('text that comes in pieces', () => {
  const streamed = (...pieces: readonly string[]): string[] => {
    const out: string[] = []
    const stream = maskStream(mask, (text) => out.push(text))
    for (const piece of pieces) stream.write(piece)
    stream.end()
    return out
  }
  const secrets = [token, shaped, block, quoted]

  test.each(secrets)('a secret cut in two anywhere is not shown: %s', (secret) => {
    const text = `before ${secret} after`
    for (let at = 0; at <= text.length; at++) {
      const out = streamed(text.slice(0, at), text.slice(at)).join('')
      expect(out, `cut at ${at}`).toMatch(/^before .{0,15}\[secret\] after$/s)
      expect(out, `cut at ${at}`).not.toContain(secret.slice(5, 25))
    }
  })

  test.each(secrets)('nor one that comes letter by letter: %s', (secret) => {
    const out = streamed(...`before ${secret} after`).join('')
    expect(out).toMatch(/^before .{0,15}\[secret\] after$/s)
    expect(out).not.toContain(secret.slice(5, 25))
  })

  test('one behind another is hidden too, however they are cut', () => {
    const text = `${token} ${shaped} ${token}`
    for (let at = 0; at <= text.length; at++)
      for (let to = at; to <= text.length; to += 7) {
        const out = streamed(text.slice(0, at), text.slice(at, to), text.slice(to)).join('')
        expect(out.match(/\[secret\]/g), `cut at ${at} and ${to}`).toHaveLength(3)
      }
  })

  test('nothing is lost, and only what may be a secret waits for the next piece', () => {
    expect(streamed('A word, ', 'a tas', 'k-', 'list', ' -----', '\nrest')).toEqual([
      'A word, ',
      'a tas',
      'k-',
      'list',
      ' ',
      '-----\nrest',
    ])
    expect(streamed('it ends with canary-', 'bird')).toEqual(['it ends with ', 'canary-bird'])
    expect(streamed('it ends with canary-')).toEqual(['it ends with ', 'canary-'])
  })

  test('a hostile text does not hold it up', () => {
    const many = 'sk-'.repeat(20_000) + '-----BEGIN '.repeat(5000)
    expect(streamed(many, ' x').join('').endsWith(' x')).toBe(true)
  })
})
