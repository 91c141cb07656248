import { expect, test } from 'vitest'
import { cells, tame } from './cells.ts'
import { blocks, blocksOf } from './markdown.ts'

const show = (text: string, width = 40): string[] => blocks(blocksOf(tame(text)), width)

test('headings, emphasis and links read as words, and a link says where it leads', () => {
  expect(show('# Title\n\nSome **bold** and `code`, [here](https://a.example/b).', 80)).toEqual([
    'Title',
    '',
    'Some bold and code, here (https://a.example/b).',
  ])
})

test('lists keep their nesting, their numbers and their boxes', () => {
  expect(show('- one\n  - deeper\n- two\n\n7. seven\n8. eight\n\n- [x] done\n- [ ] open')).toEqual([
    '• one',
    '  • deeper',
    '• two',
    '',
    '7. seven',
    '8. eight',
    '',
    '• [x] done',
    '• [ ] open',
  ])
})

test('code keeps every blank and says its language', () => {
  expect(show('```ts\nif (a) {\n  b()\n}\n```')).toEqual(['╭─ ts', '│ if (a) {', '│   b()', '│ }', '╰─'])
})

test('a table that is too wide breaks inside its cells, and one with too many columns becomes a list', () => {
  const wide = show(`| name | text |\n|---|---|\n| a | ${'word '.repeat(20)}|\n| 漢字 | x |`, 40)
  expect(wide.every((line) => cells(line) <= 40)).toBe(true)
  expect(wide.at(-1)).toBe('漢字 │ x')
  const many = Array.from({ length: 12 }, (_, at) => `column${at}`)
  const row = (cellsOf: string[]): string => `|${cellsOf.join('|')}|`
  const list = show([row(many), row(many.map(() => '---')), row(many.map(() => 'a long value'))].join('\n'), 40)
  expect(list).toContain('column3: a long value')
})

test('no line is wider than the terminal, whatever the text', () => {
  const text = `${'x'.repeat(300)}\n\n- ${'漢字'.repeat(60)}\n\n> ${'👩‍👩‍👧 '.repeat(40)}\n\n\`\`\`\n${'y'.repeat(200)}\n\`\`\``
  for (const width of [20, 39, 79, 199])
    for (const line of show(text, width)) expect(cells(line)).toBeLessThanOrEqual(width)
})

test('control characters of a model do nothing, and what remains of them is seen', () => {
  expect(show('a\x1b[31mred\x1b]0;title\x07 \u202Etxt.exe\x9b2J')).toEqual(['a[31mred]0;title txt.exe2J'])
})

test('a text nested to break the parser is shown as it is', () => {
  const hostile = `${'>'.repeat(20_000)} end`
  expect(show(hostile, 80).join('')).toContain('end')
})

test('marks without end are shown as they were typed, because looking for their ends would hold up the terminal', () => {
  const letters = (text: string) => text.replaceAll(/\s/g, '')
  for (const text of ['*a'.repeat(3000), `a ${'***'.repeat(4000)} b`, 'a@b.c '.repeat(3000), `${'> '.repeat(6000)} x`])
    expect(letters(show(text, 80).join(''))).toBe(letters(text))
})

test('what is nested deeper than people write stands as it was typed', () => {
  const [shallow, deep] = [3, 30].map((depth) => show(`${'> '.repeat(depth)}**x**`, 200).join('\n'))
  expect(shallow).toMatch(/^▏ ▏ ▏ x$/)
  expect(deep).toMatch(/^(▏ )+(> )+\*\*x\*\*$/)
})
