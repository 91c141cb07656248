import type { Token } from 'marked'
import { expect, test } from 'vitest'
import { markdownTokens } from '../../web/src/state/markdown-tokens.ts'

interface Inner {
  readonly tokens?: readonly Token[]
  readonly items?: readonly Token[]
}

/** How deep the tokens of a text are nested, without calling itself. */
function depthOf(text: string): number {
  let deepest = 0
  const open: [readonly Token[], number][] = [[markdownTokens(text), 1]]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [tokens, depth] = next
    deepest = Math.max(deepest, depth)
    for (const token of tokens as readonly (Token & Inner)[])
      for (const inner of [token.tokens, token.items]) if (inner) open.push([inner, depth + 1])
  }
  return deepest
}

test('what is nested without end is read to a depth that can be drawn, and the rest stands as it was typed', () => {
  for (const mark of ['> ', '- ', '- > ', '1. ']) expect(depthOf(`${mark.repeat(19)}x`)).toBeLessThan(40)
  expect(depthOf(Array.from({ length: 300 }, (_, at) => `${'  '.repeat(at)}- x`).join('\n'))).toBeLessThan(40)
})

test.each([
  ['stars', '*a'.repeat(3000)],
  ['addresses', 'a@b.c '.repeat(3000)],
])('a text that is all %s is one text, as it was typed', (_of, text) => {
  const [paragraph] = markdownTokens(`${text}a`) as readonly (Token & Inner)[]
  expect(paragraph?.tokens).toMatchObject([{ type: 'text', raw: `${text}a`.trim() }])
})

test.each(['>', '> ', '- ', '- > ', '1. '])(
  'lines that begin with nothing but "%s" are drawn as they were typed',
  (mark) => {
    const text = `${mark.repeat(6000)} x\n`.repeat(3)
    expect(markdownTokens(text)).toMatchObject([{ type: 'rest', raw: expect.stringContaining(mark.repeat(3000)) }])
  },
)

test('of a long text the beginning is read and the rest is there as it was typed, up to a limit that it names', () => {
  const tokens = markdownTokens(`${'**A** paragraph.\n\n'.repeat(20_000)}`)
  expect(tokens[0]).toMatchObject({ type: 'paragraph', tokens: [{ type: 'strong' }, { type: 'text' }] })
  const rest = tokens.at(-1)!
  expect(rest).toMatchObject({ type: 'rest', raw: expect.stringMatching(/\*\*A\*\* paragraph/) })
  expect(rest.raw).toMatch(/… \(160,000 more characters\)$/)
  expect(tokens.reduce((sum, { raw }) => sum + raw.length, 0)).toBeLessThan(201_000)
  const [line] = markdownTokens('x'.repeat(5_000_000))
  expect(line?.raw.length).toBeLessThan(21_000)
})

test('an ordinary text is read as Markdown is', () => {
  expect(markdownTokens('# Plan\n\n- **one** [two](https://a.b)\n\n> - three\n').map(({ type }) => type)).toEqual([
    ...['heading', 'space', 'list', 'space', 'blockquote'],
  ])
})
