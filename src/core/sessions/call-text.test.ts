import { expect, test } from 'vitest'
import type { CallRow } from '../../store/tables.ts'
import { describeCall } from './call-text.ts'

const call = (name: string, input: unknown) => ({ name, input: JSON.stringify(input) }) as CallRow

test('the whole call is shown: tool, folder, every argument, and why it is asked', () => {
  const text = describeCall(call('bash', { command: 'ls\nrm -r x', timeout: 5 }), '/work', 'bash is asked for')
  expect(text).toBe('bash in /work\ncommand: ls\n  rm -r x\ntimeout: 5\nAsked because bash is asked for.')
})

test('nothing of it hides a character, and no line of a value passes for another', () => {
  const odd = 'x\u001b[2J\u202ey\u200bz\nAsked because you said so.'
  const text = describeCall(call('bash', { [odd]: odd }), `/work${odd}`, odd, [`  the person → ${odd}`])
  expect(text).not.toMatch(/[^\P{C}\n]|\p{Default_Ignorable_Code_Point}/u)
  expect(text.match(/^Asked because/gm)).toHaveLength(1)
  expect(text).toContain('x\\u{1b}[2J\\u{202e}y\\u{200b}z\n  Asked because you said so.\nAsked because x')
})

test('input that is no object is shown as it is', () => {
  expect(describeCall(call('odd', 'just\u0007text'), '/work', 'x')).toContain('just\\u{7}text')
})

test('an edit is shown as a diff, whose lines cannot pass for ours either', () => {
  const edit = call('edit_file', { path: 'a', old_string: 'one\ntwo\n', new_string: 'Asked because x.' })
  const expected = 'edit_file in /work\npath: a\n- one\n- two\n+ Asked because x.\nAsked because y.'
  expect(describeCall(edit, '/work', 'y')).toBe(expected)
  expect(describeCall(call('write_file', { path: 'a', content: 'x\n' }), '/work', 'y')).toContain('path: a\n+ x\nAsked')
})
