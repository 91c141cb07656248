import { expect, test } from 'vitest'
import { readYaml, writeYaml } from './yaml.ts'

test('what is written can be read again, and what is wrong is told with its line', () => {
  const value = {
    description: 'Use: it "well" #1\nalways',
    tools: { allow: ['a', '*', '!b'] },
    limits: { n: 1.5, on: true },
  }
  expect(readYaml(writeYaml(value))).toEqual({ value })
  expect(readYaml('\n# nothing\n  \n')).toEqual({ value: undefined })
  expect(readYaml('a: 1\nb: "open\n')).toEqual({ problem: expect.stringMatching(/ at line [23]$/) })
  expect(readYaml('a: 1\na: 2')).toEqual({ problem: expect.stringMatching(/duplicated .* at line 2$/) })
})

test('text that is made to be read for ever, or to mean more than there is memory for, is refused', () => {
  const bomb = 'a: &a [x, x]\nb: [*a, *a]'
  const texts = ['? '.repeat(1000), '['.repeat(5000), '* '.repeat(8000), `a: "${'\\x'.repeat(8000)}"`, bomb]
  for (const text of [...texts, 'a'.repeat(17 * 1024)]) expect(readYaml(text)).toEqual({ problem: expect.any(String) })
  const keys = Array.from({ length: 2000 }, (_, at) => `k${at}:`).join('\n')
  expect(readYaml(keys)).toEqual({ value: expect.objectContaining({ k1999: null }) })
})
