import type { Skill } from './find.ts'

const FOUND = 10

/** Skills whose name or description has the words, the best first. */
export function searchSkills(skills: readonly Skill[], query: string): Skill[] {
  const words = wordsOf(query)
  return skills
    .map((skill) => ({ skill, score: scoreOf(skill, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, FOUND)
    .map(({ skill }) => skill)
}

/** A word of the name says more than one of the description. */
function scoreOf({ name, description }: Skill, words: readonly string[]): number {
  const [inName, inText] = [wordsOf(name), wordsOf(description)]
  const has = (where: readonly string[], word: string): boolean => where.some((one) => one.startsWith(word))
  return words.reduce((sum, word) => sum + (has(inName, word) ? 3 : 0) + (has(inText, word) ? 1 : 0), 0)
}

const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 2)
