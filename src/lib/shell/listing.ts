import { type Dirent, lstatSync, readdirSync, type Stats } from 'node:fs'
import { join, resolve } from 'node:path'
import type { SimpleCommand } from './commands.ts'
import { programName } from './words.ts'

const ENTRIES = 20_000

/** A link, or a folder with a link in it, or more than can be looked at. */
export const holdsLinks = (path: string): boolean => !holdsOnly(path, (entry) => !entry.isSymbolicLink())

/** The folders whose files a command prints by name, one in a line; undefined for any other command. */
export function listedBy(command: SimpleCommand): readonly string[] | undefined {
  const { words, files, folders, hazard } = command
  const options = printing[programName(words[0]) ?? '']
  if (hazard !== undefined || folders.length !== 1 || options === undefined) return undefined
  const given = words.filter(({ text }) => text.startsWith('-')).map(({ text }) => text)
  const isPlain =
    given.every((text) => options.all.test(text)) && (!options.one || given.some((text) => options.one?.test(text)))
  const paths = files.map(({ path }) => path)
  return isPlain && paths.length > 0 ? [...new Set(paths.map((path) => resolve(folders[0]!, path)))] : undefined
}

/** With these options, and with one of those where there are some, a program prints names and nothing else. */
const printing: Readonly<Record<string, { all: RegExp; one?: RegExp }>> = {
  find: {
    all: /^-(name|iname|path|ipath|type|maxdepth|mindepth|size|mtime|mmin|newer|not|o|or|a|and|prune|print|empty|regex|iregex|perm|user)$/,
  },
  rg: {
    all: /^-[lnisSwFuvxUe.]+$|^-[gtT].*$|^--(files|files-with-matches|files-without-match|hidden|no-ignore|glob(=.*)?|type(=.*)?|iglob(=.*)?)$/,
    one: /^-\w*l\w*$|^--files/,
  },
  grep: {
    all: /^-[rlLiswFEPvxhnIe]+$|^--(include|exclude|exclude-dir)=.*$|^--(recursive|files-with-matches|files-without-match|ignore-case)$/,
    one: /^-\w*[lL]\w*$|^--files-with/,
  },
  fd: { all: /^-[etHIisgFpaE]+$|^--(type|extension|hidden|no-ignore|exclude)(=.*)?$/ },
}

/** Names that xargs takes as they are and that no program takes for an option; and no links, which may lead anywhere. */
export const areTame = (folders: readonly string[]): boolean =>
  folders.every((folder) => holdsOnly(folder, (entry) => !entry.isSymbolicLink() && !/^-|[\s'"\\]/.test(entry.name)))

function holdsOnly(path: string, isFine: (entry: Pick<Dirent, 'name' | 'isSymbolicLink'>) => boolean): boolean {
  const top = topOf(path)
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

/** A name behind a file is nowhere, too. */
function topOf(path: string): Stats | undefined {
  try {
    return lstatSync(path)
  } catch {
    return undefined
  }
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}
