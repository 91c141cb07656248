import { type Dirent, lstatSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { SimpleCommand } from './commands.ts'
import { programName, type Word } from './words.ts'

const ENTRIES = 20_000

/** A link, or a folder with a link in it, or more than can be looked at. */
export const holdsLinks = (path: string): boolean => !holdsOnly(path, (entry) => !entry.isSymbolicLink())

/** The folders whose files a command prints by name, one in a line; undefined for any other command. */
export function listedBy(command: SimpleCommand): readonly string[] | undefined {
  const { words, files, folders, hazard } = command
  if (hazard !== undefined || folders.length !== 1 || !lists(words)) return undefined
  return files.map(({ path }) => resolve(folders[0]!, path))
}

function lists(words: readonly Word[]): boolean {
  const has = (pattern: RegExp): boolean => words.some(({ text }) => pattern.test(text))
  switch (programName(words[0])) {
    case 'find':
      return !has(/^-(print0|printf|ls)$/)
    case 'rg':
      return has(/^(-l|--files|--files-with-matches|--files-without-match)$/) && !has(/^-0$|^--null$|^--json$/)
    case 'grep':
      return has(/^-\w*[lL]\w*$|^--files-with(out)?-match/) && !has(/^-\w*Z|^--null$/)
    case 'fd':
      return !has(/^-0$|^--print0$|^--format/)
    default:
      return false
  }
}

/** Names that xargs takes as they are and that no program takes for an option; and no links, which may lead anywhere. */
export const areTame = (folders: readonly string[]): boolean =>
  folders.every((folder) => holdsOnly(folder, (entry) => !entry.isSymbolicLink() && !/^-|[\s'"\\]/.test(entry.name)))

function holdsOnly(path: string, isFine: (entry: Pick<Dirent, 'name' | 'isSymbolicLink'>) => boolean): boolean {
  const top = lstatSync(path, { throwIfNoEntry: false })
  if (top === undefined) return true
  if (top.isSymbolicLink()) return false
  const folders = top.isDirectory() ? [path] : []
  let seen = 0
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of entriesOf(folder)) {
      seen += 1
      if (seen > ENTRIES || !isFine(entry)) return false
      if (entry.isDirectory()) folders.push(join(folder, entry.name))
    }
  }
  return true
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}
