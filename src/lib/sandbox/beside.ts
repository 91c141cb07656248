import { dirname, join, relative, resolve } from 'node:path'
import { isInside, readSmall, realPath } from '../files/files.ts'
import { type GitSetting, gitSettings } from '../files/git.ts'
import type { Variables } from '../process/environment.ts'
import { lookAt } from './entries.ts'
import { programsOf, type Repository } from './repositories.ts'

const leading = String.raw`core\.hookspath|include\.path|includeif\..*\.path`
/** How those settings, and what leads to them, are called in the text of a configuration. */
const telling =
  /hookspath|\[include|command|clean|smudge|process|textconv|driver|external|fsmonitor|editor|pager|askpass|proxy|helper|program|alias|cmd|difffilter|(upload|receive)pack/i
const naming = String.raw`core\.(fsmonitor|sshcommand|editor|pager|askpass|gitproxy|alternaterefscommand)|sequence\.editor|credential(\..*)?\.helper|filter\..*\.(clean|smudge|process)|diff\.external|diff\..*\.(command|textconv)|merge\..*\.driver|gpg(\..*)?\.program|pager\..*|alias\..*|(merge|diff)tool\..*\.cmd|trailer\..*\.(command|cmd)|interactive\.difffilter|remote\..*\.(uploadpack|receivepack)`

/**
 * Files and folders of the workspace, outside `.git`, by which git runs programs, whether they are there or not: hooks,
 * settings, and programs of the workspace that settings name. Attributes and modules name no program that settings do not.
 */
const besideGit = async (top: string, workspace: string, env: Variables): Promise<string[]> =>
  besideBy(await settingsIn(top, env), top, workspace, env)

const settingsIn = (folder: string, env: Variables): Promise<GitSetting[]> =>
  gitSettings({ keys: `^(${leading}|${naming})$` }, { cwd: folder, env }).catch(() => [])

function besideBy(found: readonly GitSetting[], top: string, workspace: string, env: Variables): string[] {
  const at = (folder: string, path: string): string => resolve(folder, path.replace(/^~\//, `${env.HOME}/`))
  const named = found.flatMap(({ key, value, file }) => {
    // The hooks in `.husky/_` run those of the same name in `.husky`.
    if (key === 'core.hookspath') return [file, at(top, value.replace(/\/_\/?$/, ''))]
    if (key.startsWith('include')) return [file, at(dirname(file), value)]
    return [file, ...programsIn(key, value).flatMap((word) => fileOf(word, at(top, word)))]
  })
  return [...new Set([join(top, '.git', 'hooks'), ...elsewhere(top), ...named].map(realPath))].filter(
    (path) =>
      (isInside(path, workspace) || isInside(workspace, path)) && !isInside(top, path) && !path.includes('/.git/'),
  )
}

/** An alias that does not begin so is a command of git. */
const programsIn = (key: string, value: string): string[] =>
  key.startsWith('alias.') && !value.startsWith('!') ? [] : value.split(/[\s'"`;|&()<>!=]+/).filter(Boolean)

const fileOf = (word: string, path: string): string[] => (word.includes('/') || lookAt(path)?.isFile() ? [path] : [])

/** A `.git` file may name a folder of the workspace, which then is a repository under another name. */
function elsewhere(top: string): string[] {
  const named = /^gitdir: (.+)$/m.exec(textOf(join(top, '.git')))?.[1]?.trim()
  if (named === undefined) return []
  const place = realPath(resolve(top, named))
  const common = textOf(join(place, 'commondir')).trim()
  return [place, ...(common ? [realPath(resolve(place, common))] : [])].flatMap(programsOf)
}

const NESTED = 50
const PLAIN = 500

/**
 * The same for a whole workspace: of the repositories around it, of those at work, and of the closed ones in it. Most of
 * these are as git made them, and asking git about each would slow every command: what holds for all is asked once.
 */
export async function besideAll(
  workspace: string,
  working: readonly Repository[],
  closed: readonly string[],
  env: Variables,
  most = NESTED,
): Promise<string[]> {
  // Git at work makes as many worktrees as it is told to, so these come last.
  const nested = closed.filter(namesPrograms).toSorted(foldersFirst).slice(0, most).map(dirname)
  const tops = new Set([...topsAbove(workspace), ...working.map(({ top }) => top), ...nested])
  const plain = closed.filter((git) => !tops.has(dirname(git)) && !namesPrograms(git)).slice(0, PLAIN)
  const general = plain.length > 0 ? await generalSettings(workspace, env) : []
  const found = await Promise.all([
    ...[...tops].map((top) => besideGit(top, workspace, env)),
    ...plain.map((git) => besideBy(general, dirname(git), workspace, env)),
  ])
  // A workspace in a folder of hooks counts as a whole.
  return [...new Set(found.flat().map((path) => (isInside(workspace, path) ? workspace : path)))]
}

/** What the person set for every repository. */
const generalSettings = async (workspace: string, env: Variables): Promise<GitSetting[]> =>
  (await settingsIn(workspace, env)).filter(({ file }) => !file.includes('/.git/'))

const namesPrograms = (git: string): boolean =>
  isGitFile(git) || ['config', 'config.worktree'].some((name) => telling.test(textOf(join(git, name))))

const foldersFirst = (a: string, b: string): number => Number(isGitFile(a)) - Number(isGitFile(b))

/** A worktree or a submodule, whose repository is elsewhere. */
const isGitFile = (git: string): boolean => lookAt(git)?.isFile() === true

/** The repositories that a folder lies in, the nearest first; also those around the workspace. */
function topsAbove(folder: string): string[] {
  const tops: string[] = []
  for (let at = folder; ; at = dirname(at)) {
    if (lookAt(join(at, '.git'))) tops.push(at)
    if (at === dirname(at)) return tops
  }
}

/** Says which of those a path lies in or is, as a pattern. One look at each repository: for one call, not longer. */
export function lookBesideGit(workspace: string, env: Variables): (path: string) => Promise<string | undefined> {
  const looked = new Map<string, Promise<string[]>>()
  return async (path) => {
    if (!isInside(path, workspace)) return undefined
    for (const top of topsAbove(dirname(path))) {
      const known = looked.get(top) ?? besideGit(top, workspace, env)
      looked.set(top, known)
      const beside = (await known).find((one) => isInside(path, one))
      if (beside !== undefined) return `${relative(top, beside)}${beside === path ? '' : '/**'}`
    }
    return undefined
  }
}

const textOf = (path: string): string => (lookAt(path)?.isFile() ? (readSmall(path)?.text ?? '') : '')
