import { basename, resolve } from 'node:path'
import type { SimpleCommand } from './commands.ts'
import { holdsLinks } from './listing.ts'
import { programName } from './words.ts'

/** Links matter only where there are some: moving and copying makes others of them, and some programs follow them. */
export function seenInPlace(command: SimpleCommand): SimpleCommand {
  const { files, folders, plants, follows, words } = command
  const isTrap = files.some(({ path, access }) => access === 'write' && basename(path).startsWith('-'))
  const isCopy = plants && ['mv', 'cp', 'rsync'].includes(programName(words[0]) ?? '')
  const links = (isCopy || follows) && haveLinks(files, folders)
  // What is copied over a link is written where the link leads.
  const written = files.filter(({ access }) => access === 'write')
  const isThrough = links && (follows || (programName(words[0]) === 'cp' && haveLinks(written, folders)))
  const why = 'it goes where the links in a folder lead'
  return {
    ...command,
    plants: isTrap || (isCopy ? links : plants),
    ...(isThrough ? { hazard: { at: words.length, why }, named: Number.POSITIVE_INFINITY } : {}),
  }
}

/** The names that a pattern stands for are what a folder holds, so the folder is read, whatever becomes of the names. */
export const withFolders = (command: SimpleCommand, read: readonly string[]): SimpleCommand => ({
  ...command,
  files: [...command.files, ...read.map((path) => ({ path, access: 'read' as const, deep: false }))],
})

const LOOKED_AT = 50

/** A folder with links in it, or too many to look at. */
function haveLinks(files: SimpleCommand['files'], folders: readonly string[]): boolean {
  const paths = new Set(files.flatMap(({ path }) => folders.map((folder) => resolve(folder, path))))
  return paths.size > LOOKED_AT || [...paths].some(holdsLinks)
}
