import { expect, test } from 'vitest'
import type { Tool } from '../base/index.ts'
import { listing } from './listing.ts'
import { offerOf, type Shown } from './offer.ts'

const shown = (name: string, { words = 1, added = true, rare = false } = {}): Shown => {
  const origin = added ? { source: 'mcp', place: 'shop', group: 'shop' } : undefined
  const description = 'word '.repeat(words)
  return {
    tool: { name, description, origin, ...(rare && { rare: 'seldom' }) } as unknown as Tool,
    schema: { name, description, inputSchema: { type: 'object' } },
  }
}

const some = (count: number, more?: Parameters<typeof shown>[1]): Shown[] =>
  Array.from({ length: count }, (_, at) => shown(`tool_${at}`, more))

const search = shown('tool_search', { added: false })
const namesIn = (list: readonly Shown[]): string[] => list.map(({ tool }) => tool.name)

test('ten small tools of others are loaded outright; of eleven, or of larger ones, the names are listed', () => {
  expect(namesIn(offerOf([...some(10), search]).loaded)).toEqual(namesIn(some(10)))
  expect(offerOf([...some(11), search])).toEqual({ loaded: [search], listed: some(11) })
  expect(offerOf([...some(10, { words: 90 }), search]).listed).toHaveLength(0)
  expect(offerOf([...some(10, { words: 130 }), search]).listed).toHaveLength(10)
})

test('tools that are seldom needed are listed only where the built-in ones take more than a thousand tokens', () => {
  const seldom = shown('seldom', { added: false, rare: true })
  const small = shown('small', { added: false, words: 100 })
  const large = shown('large', { added: false, words: 1000 })
  expect(namesIn(offerOf([small, seldom, search]).loaded)).toEqual(['small', 'seldom'])
  expect(namesIn(offerOf([large, seldom, search]).loaded)).toEqual(['large', 'tool_search'])
})

test('however many there are, the list keeps within its bounds', () => {
  const groups = Array.from({ length: 40 }, (_, at) => ({ source: 'mcp', place: `p${at}`, group: `server-${at}` }))
  const tools = groups.flatMap((origin, at) =>
    some(50).map(({ tool, schema }) => ({ tool: { ...tool, name: `${tool.name}_${at}`, origin } as Tool, schema })),
  )
  const text = listing(offerOf([...tools, search]))
  expect(text).toContain('- server-0 (50 tools): tool_0_0')
  expect(text).toContain('- and 500 tools of 10 others')
  expect(text.length).toBeLessThan(3600)
})
