import { readdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { isInside, readSmall, realPath } from '../files/files.ts'
import { gitSettings, runGit } from '../files/git.ts'
import type { Variables } from '../process/environment.ts'
import { lookAt } from './entries.ts'
import { linksIn } from './repository-links.ts'

export interface Repository {
  /** The folder with `.git` in it. */
  readonly top: string
  /** Where git keeps all of it. */
  readonly place: string
}

/**
 * The repository that git finds from a folder of the workspace. A folder that looks like a repository itself is not
 * trusted, and a `.git` file is believed only when the repository it names says the same of this folder.
 */
export async function repositoryFrom(
  folder: string,
  workspace: string,
  env: Variables,
): Promise<Repository | undefined> {
  for (let top = folder; isInside(top, workspace); top = dirname(top)) {
    const at = join(top, '.git')
    const stats = lookAt(at)
    if (stats?.isDirectory()) return lookAt(join(at, 'commondir')) ? undefined : { top, place: at }
    if (stats !== undefined) return stats.isFile() ? await ledTo(top, at, env) : undefined
    if (['HEAD', 'objects', 'refs'].every((name) => lookAt(join(top, name)))) return undefined
  }
  return undefined
}

async function ledTo(top: string, at: string, env: Variables): Promise<Repository | undefined> {
  const named = /^gitdir: (.+)$/m.exec(textOf(at))?.[1]?.trim()
  if (named === undefined) return undefined
  const folder = realPath(resolve(top, named))
  const place = isWorktree(folder) ? dirname(dirname(folder)) : folder
  if (place !== folder) return realPath(textOf(join(folder, 'gitdir')).trim()) === at ? { top, place } : undefined
  const file = join(folder, 'config')
  const [back] = await gitSettings({ keys: '^core\\.worktree$', file }, { cwd: top, env }).catch(() => [])
  return back !== undefined && realPath(resolve(folder, back.value)) === top ? { top, place } : undefined
}

const isWorktree = (folder: string): boolean =>
  dirname(folder).endsWith('/worktrees') && textOf(join(folder, 'commondir')).trim() === '../..'

const own = ['config', 'config.worktree', 'commondir', 'hooks', 'remotes', 'branches', 'info/attributes']

/**
 * What makes git run programs in a repository, whether it is there or not; with its submodules, without its worktrees.
 * Submodules that are too many to be looked at count as a whole.
 */
export function programsOf(place: string): string[] {
  const all = join(place, 'modules')
  const modules = modulesIn(all)
  const named = (folder: string) => own.map((name) => join(folder, name))
  return [...named(place), ...(modules?.flatMap(named) ?? [all])]
}

/** What leads git from a worktree to its repository. */
export const worktreesOf = (place: string): string[] =>
  namesIn(join(place, 'worktrees')).flatMap((name) =>
    ['gitdir', 'commondir', 'config.worktree'].map((file) => join(place, 'worktrees', name, file)),
  )

const MODULES = 200
const LOOKS = 2000

function modulesIn(folder: string): string[] | undefined {
  const found: string[] = []
  const waiting = [folder]
  for (let at = waiting.shift(), looks = 0; at !== undefined; at = waiting.shift(), looks += 1) {
    if (looks > LOOKS || found.length > MODULES) return undefined
    if (at !== folder && lookAt(join(at, 'HEAD'))?.isFile()) {
      found.push(at)
      waiting.push(join(at, 'modules'))
    } else waiting.push(...namesIn(at).map((name) => join(at, name)))
  }
  return found
}

const harmless =
  /^(core\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks)|extensions\.objectformat|remote\..*\.(url|pushurl|fetch|push|tagopt)|branch\..*\.(remote|merge|rebase|pushremote|description)|submodule\.active|submodule\..*\.(url|active)|user\.(name|email)|init\.defaultbranch)$/s

/** Where a configuration counts: paths in it begin at the top of its repository. */
interface Counts {
  readonly top: string
  readonly workspace: string
}

/** Whether two states of a configuration differ only in what runs nothing: remotes elsewhere, branches, names. */
export async function differHarmlessly(
  before: string | undefined,
  after: string,
  counts: Counts,
  env: Variables,
): Promise<boolean> {
  const lines = async (file: string) =>
    (await gitSettings({ keys: '', file }, { cwd: dirname(file), env })).map(({ key, value }) => `${key}\n${value}`)
  try {
    const [then, now] = [before === undefined ? [] : await lines(before), await lines(after)]
    const changed = [...then.filter((line) => !now.includes(line)), ...now.filter((line) => !then.includes(line))]
    return changed.every((line) => runsNothing(line, after, counts))
  } catch {
    return false
  }
}

function runsNothing(line: string, file: string, counts: Counts): boolean {
  const [key = '', value = ''] = line.split('\n')
  // Only the repository of a submodule says where its files are.
  if (key === 'core.worktree') return file.includes('/.git/modules/')
  return harmless.test(key) && !/^[\w-]+::/.test(value) && !isOwnFolder(key, value, counts)
}

/** Whoever pushes to a repository in a folder runs its hooks, and commands can write those that lie in the workspace. */
function isOwnFolder(key: string, value: string, { top, workspace }: Counts): boolean {
  const isName = /\.(remote|pushremote)$/.test(key)
  if (!isName && !/\.(url|pushurl)$/.test(key)) return false
  const isFile = value.startsWith('file:')
  if (value === '.' || (!isFile && /^[\w+.-]+:\/\/|^[^/:]+:/.test(value))) return false
  const path = isFile ? decoded(value.replace(/^file:(\/\/[^/]*)?/, '')) : value
  if (path === undefined) return true
  const at = resolve(top, path)
  // `/proc/self/cwd` is another folder for whoever reads it, also behind a link.
  if (/^\/(proc|dev)\//.test(at)) return true
  const isPath = !isName || path.startsWith('/') || lookAt(resolve(top, path.split('/')[0]!)) !== undefined
  return isPath && (isInside(at, workspace) || isInside(realPath(at), workspace))
}

/** As git reads an address; undefined when nobody can tell. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** Whether a new repository is as git itself makes one: it names no program, and no other repository stands behind it. */
export async function isPlain(at: string, workspace: string, env: Variables): Promise<boolean> {
  const stats = lookAt(at)
  if (stats?.isFile()) return (await repositoryFrom(dirname(at), workspace, env)) !== undefined
  if (!stats?.isDirectory()) return false
  const links = linksIn(at)
  if (links.cut || links.paths.length > 0) return false
  for (const path of programsOf(at)) {
    const plain = path.endsWith('/config') ? await isPlainConfig(path, workspace, env) : isPlainHere(path)
    if (!plain) return false
  }
  return true
}

const isPlainConfig = async (file: string, workspace: string, env: Variables): Promise<boolean> =>
  lookAt(file)?.isFile() === true &&
  (await differHarmlessly(undefined, file, { top: file.replace(/\/\.git\/.*$/, ''), workspace }, env))

/** git's own examples of hooks do not run, and it makes an empty folder of branches. */
const isPlainHere = (path: string): boolean =>
  lookAt(path) === undefined ||
  (/\/(hooks|branches)$/.test(path) &&
    lookAt(path)!.isDirectory() &&
    namesIn(path).every((name) => name.endsWith('.sample') && lookAt(join(path, name))?.isFile()))

/** Which of these paths are now as the index of the repository has them, gone ones included. */
export async function checkedOut(top: string, paths: readonly string[], env: Variables): Promise<Set<string>> {
  const listed = async (...args: string[]) => {
    const { output } = await runGit([...args, '-z', '--', ...paths], { cwd: top, env })
    return new Set(output.split('\0').map((name) => join(top, name)))
  }
  try {
    const [tracked, changed] = [await listed('ls-files'), await listed('diff', '--name-only')]
    return new Set(paths.filter((path) => !changed.has(path) && tracked.has(path) === (lookAt(path) !== undefined)))
  } catch {
    return new Set()
  }
}

const textOf = (path: string): string => readSmall(path)?.text ?? ''

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
