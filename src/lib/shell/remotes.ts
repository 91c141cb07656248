import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { SimpleCommand } from './commands.ts'
import { programName } from './words.ts'

/** Git runs the hooks and programs of a repository in a folder; those of one on another machine run there. */
export function seenRemote(command: SimpleCommand, earlier: readonly SimpleCommand[]): SimpleCommand {
  const { remote, folders, words } = command
  if (remote === undefined || !folders.some((folder) => isLocal(remote, folder, earlier))) return command
  const why = `${remote} may be a folder whose programs git would run`
  return { ...command, hazard: { at: words.length, why }, named: Number.POSITIVE_INFINITY }
}

function isLocal(remote: string, folder: string, earlier: readonly SimpleCommand[]): boolean {
  if (/^[./~]/.test(remote)) return true
  const above = upToRepository(folder)
  if (isAddress(remote) || isConfigured(remote, above.at(-1)!)) return false
  return above.some((each) => existsSync(resolve(each, remote))) || earlier.some(mayMakeFolders)
}

const isAddress = (remote: string): boolean => /^(https?|ssh|git):\/\/|^[^/:]+:/.test(remote)

/** Git looks for a folder from the top of the repository it works in. */
function upToRepository(folder: string): string[] {
  const above = [folder]
  for (let at = folder; !existsSync(join(at, '.git')); at = dirname(at)) {
    if (dirname(at) === at) return [folder]
    above.push(dirname(at))
  }
  return above
}

/** A name in the configuration comes before a folder of that name. */
function isConfigured(name: string, repository: string): boolean {
  try {
    return readFileSync(join(repository, '.git/config'), 'utf8').split('\n').includes(`[remote "${name}"]`)
  } catch {
    return false
  }
}

/** They make no repository in a folder of its own. */
const tame = /^(add|commit|tag|branch|fetch|push|status|log|diff|show|checkout|switch|stash|merge|rebase|pull)$/

const mayMakeFolders = ({ words, files, plants }: SimpleCommand): boolean =>
  (plants || files.some(({ access }) => access === 'write')) &&
  !(programName(words[0]) === 'git' && tame.test(words[1]?.text ?? ''))
