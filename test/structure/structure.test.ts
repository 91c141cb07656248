import { describe, expect, test } from 'vitest'
import { WaitKind } from '../../src/contract/calls.ts'
import { kinds } from '../../src/core/waits/kinds.ts'
import { importRules, order } from './imports.ts'
import { nameRules } from './names.ts'
import { ownerRules } from './owners.ts'
import type { Rule } from './rule.ts'
import { nounOf, parseSource, readSources } from './sources.ts'
import { columns, declaredColumns, stateRules } from './state.ts'
import { wordRules } from './words.ts'

const sources = readSources('src', 'web', 'test', 'bench', 'scripts')

describe.each<Rule>([...importRules, ...nameRules, ...ownerRules, ...stateRules, ...wordRules])(
  '$says',
  ({ find, broken }) => {
    test('everywhere', () => expect(find(sources)).toEqual([]))

    // A rule that sees nothing would hold for ever.
    test.each(broken.map((files) => ({ files, code: Object.values(files).join(' · ') })))('seen: $code', ({ files }) =>
      expect(find(Object.entries(files).map(([file, text]) => parseSource(file, text)))).not.toEqual([]),
    )
  },
)

test('the order names every noun of core', () => {
  const nouns = sources.flatMap(({ file }) => nounOf(file) ?? [])
  expect([...new Set(nouns)].toSorted()).toEqual(order.toSorted())
})

test('every kind of wait has its place in the table', () => {
  expect(Object.keys(kinds).toSorted()).toEqual(WaitKind.options.toSorted())
})

test('the state columns of a session are those of its table', () => {
  expect(declaredColumns(sources).toSorted()).toEqual(columns)
})
