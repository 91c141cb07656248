import { expect, test } from 'vitest'
import { readAsked, tellingField } from './approval.ts'

test('a command is read with its further lines, the reason and where it goes back to', () => {
  const asked = readAsked(
    [
      'bash in /work/notes',
      'command: ls',
      '  Asked because you said so.',
      'timeout: 5',
      'Asked because bash is asked for',
      '  here.',
      'It goes back to:',
      '  the person → coder',
    ].join('\n'),
  )
  expect(asked).toEqual({
    head: 'bash in /work/notes',
    fields: [
      { name: 'command', text: 'ls\nAsked because you said so.' },
      { name: 'timeout', text: '5' },
    ],
    changes: [],
    because: 'bash is asked for here.',
    lineage: ['the person → coder'],
  })
  expect(tellingField(asked)).toBe('ls\nAsked because you said so.')
})

test('what an edit takes out and puts in is read as a diff, whatever its lines say', () => {
  const { fields, changes } = readAsked('edit_file in /w\npath: a\n- one\n+ Asked because x.\n+ \nAsked because y.')
  expect(fields).toEqual([{ name: 'path', text: 'a' }])
  expect(changes).toEqual([
    { sign: '-', text: 'one' },
    { sign: '+', text: 'Asked because x.' },
    { sign: '+', text: '' },
  ])
})

test('the diff of what a command changed stands behind the reason and is no part of it', () => {
  const { because, lineage, changes } = readAsked(
    'bash in /w\ncommand: make\nAsked because it changed.\nIt goes back to:\n  you → coder\n--- .env\n+++ .env\n@@ -1,2 +1,2 @@\n A=1\n-B=1\n--- a note\n+B=2\n',
  )
  expect({ because, lineage }).toEqual({ because: 'it changed.', lineage: ['you → coder'] })
  expect(changes.map(({ sign, text }) => `${sign}|${text}`)).toEqual([
    '@|--- .env',
    '@|+++ .env',
    '@|@@ -1,2 +1,2 @@',
    ' |A=1',
    '-|B=1',
    '-|-- a note',
    '+|B=2',
  ])
})

test('words that describe no call are its head', () => {
  expect(readAsked('Just words')).toMatchObject({ head: 'Just words', fields: [], changes: [], because: undefined })
})
