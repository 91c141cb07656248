import { statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { makeFolder } from '../../../test/kit/files.ts'
import { layDraft } from './composer.ts'
import { openHistory } from './history.ts'
import { createLine, type Line } from './line.ts'

const home = makeFolder(afterAll)

let sent: string[]
let line: Line
let turn = 0
beforeEach(() => {
  sent = []
  turn += 1
  line = open(`project-${turn}`)
})

function open(project: string): Line {
  return createLine({
    history: openHistory(home, project),
    known: {
      commands: () => [
        { name: 'model', does: 'which model' },
        { name: 'new', does: 'begin anew' },
      ],
      argument: (name) => (name === 'model' ? [{ insert: 'demo/demo', label: 'demo/demo', about: '' }] : []),
      files: () => ['README.md', 'src/main.ts', 'src/deep/mail.ts'],
      agents: () => [{ name: 'writer', description: 'writes' }],
    },
    choices: () => [],
    submit: (text) => sent.push(text),
  })
}
const type = (...keys: string[]): void => {
  for (const key of keys)
    line.press(key.length > 1 && /^[a-z-]+$/.test(key) && known.has(key) ? { name: key } : { name: 'text', text: key })
}
const known = new Set([
  'enter',
  'alt-enter',
  'up',
  'down',
  'left',
  'tab',
  'backspace',
  'ctrl-w',
  'ctrl-a',
  'ctrl-k',
  'home',
])

test('Enter sends and empties the line; Alt-Enter and a backslash before Enter make a new line', () => {
  type('one', 'alt-enter', 'two\\', 'enter', 'three', 'enter')
  expect(sent).toEqual(['one\ntwo\nthree'])
  expect(line.draft.text).toBe('')
})

test('a pasted text of several lines is not sent, and what would move the cursor is taken out', () => {
  line.press({ name: 'paste', text: 'a\nb\x1b[2J\n' })
  expect(sent).toEqual([])
  expect(line.draft.text).toBe('a\nb[2J\n')
})

test('one Backspace takes one character as a person sees it', () => {
  type('a👩‍👩‍👧', 'backspace')
  expect(line.draft.text).toBe('a')
})

test('Up and Down go through what was said before, also in the next chat of this project, and only there', () => {
  type('first', 'enter', 'second', 'enter')
  line = open(`project-${turn}`)
  type('unsent', 'up', 'up')
  expect(line.draft.text).toBe('first')
  type('down', 'down')
  expect(line.draft.text).toBe('unsent')
  line = open('another')
  type('up')
  expect(line.draft.text).toBe('')
})

test('what was said is kept in a file that only the person can read, the last 500 at most', () => {
  const history = openHistory(home, 'bounded')
  for (let at = 0; at < 520; at += 1) history.add(`said ${at}`)
  const again = openHistory(home, 'bounded')
  let oldest = ''
  for (let text = again.older(''); text !== undefined; text = again.older('')) oldest = text
  expect(oldest).toBe('said 20')
  expect(statSync(join(home, 'chat')).mode & 0o077).toBe(0)
})

test('a slash offers commands; Enter runs the chosen one, and its arguments are offered too', () => {
  type('/m')
  expect(line.completion?.items.map(({ label }) => label)).toEqual(['/model'])
  type('enter')
  type('/model d', 'enter')
  expect(sent).toEqual(['/model', '/model demo/demo'])
})

test('an at sign offers files and agents, and taking one does not send', () => {
  type('look at @mai')
  expect(line.completion?.items[0]?.label).toBe('src/main.ts')
  type('enter')
  expect(line.draft.text).toBe('look at @src/main.ts ')
  type('@wri', 'tab')
  expect(line.draft.text).toBe('look at @src/main.ts @writer ')
  expect(sent).toEqual([])
})

test('the cursor stands where the next character goes, in lines that are broken and wide', () => {
  const laid = layDraft({ text: '漢字漢字\nab', at: 3 }, 6, 10)
  expect(laid).toEqual({ lines: ['漢字漢', '字', 'ab'], cursor: { row: 1, column: 0 } })
})

test('of a long draft the lines around the cursor are shown', () => {
  const text = Array.from({ length: 50 }, (_, at) => `line ${at}`).join('\n')
  const laid = layDraft({ text, at: text.length }, 40, 5)
  expect(laid.lines).toEqual(['line 45', 'line 46', 'line 47', 'line 48', 'line 49'])
  expect(laid.cursor).toEqual({ row: 4, column: 7 })
})
