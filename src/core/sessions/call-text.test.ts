import { expect, test } from 'vitest'
import type { CallRow } from '../../store/tables.ts'
import { describeCall, visible } from './call-text.ts'

const call = (name: string, input: unknown) => ({ name, input: JSON.stringify(input) }) as CallRow

test('the whole call is shown: tool, folder, every argument, and why it is asked', () => {
  const text = describeCall(call('bash', { command: 'ls\nrm -r x', timeout: 5 }), '/work', 'bash is asked for')
  expect(text).toBe('bash in /work\ncommand: ls\nrm -r x\ntimeout: 5\nAsked because bash is asked for.')
})

test('characters that change how a text looks are shown as what they are', () => {
  expect(visible('a\u202eb\u200bc\x1b[2K\rd\u00ade')).toBe('a\\u{202e}b\\u{200b}c\\u{1b}[2K\\u{d}d\\u{ad}e')
  expect(visible('grüße 日本\nnext')).toBe('grüße 日本\nnext')
})

test('input that is no object is shown as it is', () => {
  expect(describeCall(call('odd', 'just\u0007text'), '/work', 'x')).toContain('just\\u{7}text')
})
