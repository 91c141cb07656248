import stringWidth from 'string-width'
import { expect, test, vi } from 'vitest'
import { oneLine } from './print.ts'
import { table } from './table.ts'

test('columns stay columns when a cell has wide characters', () => {
  const printed: string[] = []
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(String(text)) > 0)
  table(
    [
      { title: '日本語 🎉', cost: '$0' },
      { title: 'plain', cost: '$1' },
    ],
    'none',
  )
  write.mockRestore()
  const columns = printed.map((line) => stringWidth(line.slice(0, line.search(/COST|\$/))))
  expect(columns).toEqual([11, 11, 11])
})

test('in a terminal that is too narrow one column gives way, but never to nothing', () => {
  const printed: string[] = []
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(String(text)) > 0)
  const { columns } = process.stdout
  const rows = [{ task: '3fa9c2d1', what: `Dig ${'日'.repeat(40)}`, from: 'human' }]
  for (const width of [40, 20]) {
    process.stdout.columns = width
    table(rows, 'none', 'what')
  }
  process.stdout.columns = columns
  write.mockRestore()
  expect(printed.map((line) => stringWidth(line.trimEnd()))).toEqual([39, 40, 28, 29])
  expect(printed.every((line) => !line.includes('日') || line.includes('…'))).toBe(true)
})

test('a line that is cut ends behind a whole character', () => {
  expect(oneLine('🎉'.repeat(90), 80)).toBe(`${'🎉'.repeat(79)}…`)
})
