import { type CommandParts, type SimpleCommand, seeThrough } from './commands.ts'
import { areTame } from './listing.ts'
import { literal, type Word } from './words.ts'

/** `… | xargs wc -l` where the names come from folders in which every name is an ordinary one. */
export function withNames(given: CommandParts, listed: readonly string[] | undefined): SimpleCommand | undefined {
  const [xargs, ...rest] = given.tokens
  if (xargs?.text !== 'xargs' || listed === undefined || given.variables.length > 0 || !areTame(listed))
    return undefined
  const from = rest.findIndex(
    ({ text }, at) => !/^-(r|t|[nPL]\d*)$/.test(text) && !/^-[nPL]$/.test(rest[at - 1]?.text ?? ''),
  )
  // Two names, as a program may do something else with the second than with the first.
  const names = { text: '…', words: [...listed, ...listed].map(literal), pattern: true }
  const inner = from < 0 ? undefined : seeThrough({ ...given, tokens: [...rest.slice(from), names] })
  if (inner === undefined || 'script' in inner || inner.files.some(({ access }) => access === 'write')) return undefined
  // A name must not become the pattern or the script of the program.
  const isRead = (folder: string): boolean => inner.files.filter(({ path }) => path === folder).length >= 2
  if (!listed.every(isRead)) return undefined
  const words: Word[] = inner.words.map((word) => (listed.includes(word.text) ? { ...word, text: '…' } : word))
  return {
    ...inner,
    words,
    whole: given.tokens.map(({ text }) => text).join(' '),
    files: inner.files.map((file) => ({ ...file, deep: true })),
  }
}
