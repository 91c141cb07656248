import { expect, test } from 'vitest'
import { AgentFile } from '../../contract/agents.ts'
import { Settings } from '../../contract/settings.ts'
import { parseJsonc } from '../../lib/jsonc.ts'
import { reviewer, starterFiles } from './init-starter.ts'

const offer = /^\s*\/\/ "/

test.each([
  ['settings.json', Settings],
  ['agents/reviewer/agent.json', AgentFile],
])('every line that %s offers can be uncommented, alone and together', (name, schema) => {
  const text = starterFiles(reviewer)[name]!
  const offered = text.split('\n').filter((line) => offer.test(line))
  expect(offered.length).toBeGreaterThan(0)
  const live = (chosen: readonly string[]): string =>
    text
      .split('\n')
      .map((line) => (chosen.includes(line) ? line.replace('// ', '') : line))
      .join('\n')
  for (const variant of [...offered.map((line) => live([line])), live(offered)]) {
    const { value, errors } = parseJsonc(variant)
    expect([variant, errors]).toEqual([variant, []])
    expect(schema.safeParse(value).error).toBeUndefined()
  }
})
