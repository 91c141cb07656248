import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const WORDS = 20_000
const SENTENCE = 40

/** The same numbers at every run. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}

/** Words as texts have them: a few are everywhere, most are rare. */
const wordOf = (random: () => number, from = 1): string => `word${Math.floor(from * (WORDS / from) ** random())}`

/** Nobody asks for the fifty words that are in every sentence. */
const ASKED_FROM = 50

/** Markdown files of so many sections in all, each with a heading and a body of forty words. */
export function writeFiles(folder: string, sections: number, perFile: number): void {
  mkdirSync(folder, { recursive: true })
  for (let file = 0; file * perFile < sections; file++) writeFileSync(fileAt(folder, file), textOf(file, perFile))
}

export const fileAt = (folder: string, file: number): string => join(folder, `topic-${file}.md`)

export function textOf(seed: number, sections: number): string {
  const random = createRandom(seed + 1)
  const body = () => Array.from({ length: SENTENCE }, () => wordOf(random)).join(' ')
  return Array.from({ length: sections }, (_, at) => `# ${wordOf(random)} ${at}\n${body()}\n`).join('\n')
}

/** Two words of a text, as somebody asks for them. */
export function queriesOf(count: number): string[] {
  const random = createRandom(7)
  return Array.from({ length: count }, () => `${wordOf(random, ASKED_FROM)} ${wordOf(random, ASKED_FROM)}`)
}
