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

test('a line that is cut ends behind a whole character', () => {
  expect(oneLine('🎉'.repeat(90), 80)).toBe(`${'🎉'.repeat(79)}…`)
})
