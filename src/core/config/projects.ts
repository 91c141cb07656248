import { dirname, join, resolve, sep } from 'node:path'
import { AppError } from '../../contract/errors.ts'
import { realPath, sha256, statOf } from '../../lib/files/files.ts'
import type { Project } from '../base/index.ts'

/** The project a folder belongs to. Looks only; nothing is made and nothing is run. */
export function findProject(home: string, folder: string): Project {
  const start = realFolder(folder)
  const realHome = realPath(home)
  const path =
    projectAround(start, realHome) ??
    nearest(start, (parent) => holdsProject(parent, realHome)) ??
    nearest(start, (parent) => statOf(join(parent, '.git')) !== undefined) ??
    start
  return projectAt(path)
}

/** For a path that is known to be a project's real path. */
export const projectAt = (path: string): Project => ({ id: sha256(path).slice(0, 16), path })

function realFolder(folder: string): string {
  const path = realPath(resolve(folder))
  if (statOf(path)?.isDirectory()) return path
  throw new AppError('project.not_found', `There is no folder "${folder}".`, {
    hint: 'Name an existing folder, or leave it out to use the current one.',
  })
}

/** A worktree or a run's folder belongs to the project around it, even when it is a checkout with its own .troupe. */
function projectAround(folder: string, realHome: string): string | undefined {
  const segments = folder.split(sep)
  for (let at = 1; at < segments.length - 2; at++) {
    const kind = segments[at + 1]
    if (segments[at] !== '.troupe' || (kind !== 'worktrees' && kind !== 'runs')) continue
    const owner = segments.slice(0, at).join(sep) || sep
    if (holdsProject(owner, realHome)) return owner
  }
  return undefined
}

function holdsProject(folder: string, realHome: string): boolean {
  const inner = join(folder, '.troupe')
  return statOf(inner)?.isDirectory() === true && realPath(inner) !== realHome
}

function nearest(start: string, fits: (folder: string) => boolean): string | undefined {
  for (let folder = start; ; folder = dirname(folder)) {
    if (fits(folder)) return folder
    if (folder === dirname(folder)) return undefined
  }
}
