import stringWidth from 'string-width'
import { expect, test, vi } from 'vitest'
import { oneLine } from './print.ts'
import { table } from './table.ts'

function printed(rows: readonly Record<string, string>[], columns?: number): string[] {
  const lines: string[] = []
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0)
  table(rows, 'none', columns)
  write.mockRestore()
  return lines
}

test('columns stay columns when a cell has wide characters', () => {
  const lines = printed([
    { title: '日本語 🎉', cost: '$0' },
    { title: 'plain', cost: '$1' },
  ])
  const columns = lines.map((line) => stringWidth(line.slice(0, line.search(/COST|\$/))))
  expect(columns).toEqual([11, 11, 11])
})

test('on a narrow terminal the widest column is cut, and only there', () => {
  const rows = [
    {
      agent: 'coder',
      what: 'Reads, changes 日本語 and tests, and more of it, and more',
      cost: '$12',
    },
    { agent: 'writer', what: 'Writes', cost: '$0' },
  ]
  const lines = printed(rows, 40).map((line) => line.trimEnd())
  expect(lines.map((line) => stringWidth(line))).toEqual([40, 39, 38])
  expect(lines[1]).toMatch(/^coder {3}Reads, changes 日本語 .*… {2}\$12$/)
  expect(printed(rows).join('')).toContain('and more of it, and more')
})

test('a line that is cut ends behind a whole character', () => {
  expect(oneLine('🎉'.repeat(90), 80)).toBe(`${'🎉'.repeat(79)}…`)
})
