import type { Offer, Shown } from './offer.ts'

const BY_WORDS = 6
const BY_NAME = 20

interface Found {
  readonly found: readonly Shown[]
  /** How many more fit the words and were left out. */
  readonly more: number
}

/** Listed tools that are named, else those that the words of the query fit best. */
export function searchTools({ listed }: Offer, query: string): Found {
  const asked = new Set(query.toLowerCase().split(/[\s,;"'`()]+/))
  const named = listed.filter(({ tool }) => asked.has(tool.name.toLowerCase()))
  if (named.length > 0) return cut(named, BY_NAME)
  const words = wordsOf(query)
  const scored = listed
    .map((shown) => ({ shown, score: scoreOf(shown, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
  return cut(
    scored.map(({ shown }) => shown),
    BY_WORDS,
  )
}

const cut = (found: readonly Shown[], most: number): Found => ({
  found: found.slice(0, most),
  more: Math.max(0, found.length - most),
})

/** A word of the name says more than one of the description. Words need not be whole: "issue" finds "issues". */
function scoreOf({ tool }: Shown, words: readonly string[]): number {
  const name = wordsOf(tool.name)
  const group = wordsOf(tool.origin?.group ?? '')
  const about = wordsOf(tool.description.slice(0, 2000))
  const has = (where: readonly string[], word: string): boolean =>
    where.some((one) => one.startsWith(word) || (one.length > 3 && word.startsWith(one)))
  return words.reduce(
    (sum, word) => sum + (has(name, word) ? 5 : 0) + (has(group, word) ? 2 : 0) + (has(about, word) ? 1 : 0),
    0,
  )
}

/** `createIssue`, `create_issue` and "create issue" have the same words. */
const wordsOf = (text: string): string[] =>
  text
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 1 && !commonWords.has(word))

const commonWords = new Set(['the', 'of', 'and', 'or', 'to', 'in', 'for', 'with', 'is', 'it', 'an', 'on', 'by', 'tool'])
