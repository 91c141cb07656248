import { lstat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { isInside, realPath } from '../../lib/files/files.ts'
import { isProtected, PathError, resolveFrom } from '../../lib/files/paths.ts'
import type { Variables } from '../../lib/process/environment.ts'
import { lookBesideGit } from '../../lib/sandbox/beside.ts'
import type { RunPlace, Touch } from '../base/index.ts'
import { inRun, isRunPath } from './run-scope.ts'

/** The folders a call is judged by; all real paths. */
export interface Workplace {
  readonly workspace: string
  readonly projectPath: string
  /** The data folder. */
  readonly home: string
  /** The person's home folder, for `~`. */
  readonly userHome: string | undefined
  /** Our own variables, with which git reads its settings. */
  readonly env: Variables
  /** The run whose member calls. */
  readonly run?: RunPlace | undefined
}

/** A place as it is looked at for one call. */
export interface LookedAt extends Workplace {
  /** By which pattern git runs programs from this path of the workspace, beside `.git`. */
  beside(real: string): Promise<string | undefined>
}

export const look = (place: Workplace): LookedAt => ({ ...place, beside: lookBesideGit(place.workspace, place.env) })

/** A path a call would touch, as it really is. */
export interface Located extends Touch {
  readonly real: string
  /** The path as spelled, links not followed. A rule that forbids is compared with it too. */
  readonly literal: string
  readonly outside: boolean
  /** The pattern that protects it: writing there changes what agents may do. */
  readonly protects: string | undefined
  /** A folder that is gone through. */
  readonly deep?: boolean
}

export interface Refused {
  readonly refuse: string
  /** The path leads into the data folder. */
  readonly home?: boolean
}

/** Where a path leads, or why no agent may touch it: it is in the data folder, a pipe or device, or no valid path. */
export async function locate(
  place: LookedAt,
  touch: Touch,
  /** What is done there, where the path is looked up as if it were something else. */
  access: Touch['access'] = touch.access,
): Promise<Located | Refused> {
  try {
    const folder = place.run && isRunPath(touch.path) ? place.run.root : place.workspace
    const real = await resolveFrom(folder, touch.path)
    const scoped = place.run && inRun(place.run, real, access)
    if (scoped !== undefined && 'refuse' in scoped) return scoped
    if (scoped !== undefined)
      return { ...touch, real, literal: resolve(folder, touch.path), outside: false, protects: undefined }
    const named = isProtected(place.workspace, place.home, real, place.userHome)
    // Git is asked only where something would be written: asking starts a process.
    const protects = named ?? (touch.access === 'write' ? await place.beside(real) : undefined)
    if (protects === '<home>/**')
      return { refuse: `${touch.path} is in troupe's own data folder, which agents cannot reach.`, home: true }
    const literal = resolve(folder, touch.path)
    const outside = !isInside(real, place.workspace) || isOfProcess(literal)
    if (outside) await refuseOdd(real, touch)
    return { ...touch, real, literal, outside, protects }
  } catch (error) {
    if (error instanceof PathError) return { refuse: error.hint ? `${error.message} ${error.hint}` : error.message }
    throw error
  }
}

/** `/proc/self/cwd` is the server's folder here and the command's own folder there. */
const isOfProcess = (path: string): boolean => /^\/(proc|dev)\//.test(path)

async function refuseOdd(real: string, { path, access }: Touch): Promise<void> {
  const stats = await lstat(real).catch(() => undefined)
  if (stats === undefined && access === 'read')
    throw new PathError('path.not_found', `There is nothing at ${JSON.stringify(path)}.`)
  if (stats !== undefined && !stats.isFile() && !stats.isDirectory())
    throw new PathError('path.kind', `${JSON.stringify(path)} is not an ordinary file or folder.`)
}

/** A path as the system follows it from a folder: `..` leaves the folder that a link leads to, not the one it is in. */
export function followPath(folder: string, path: string): string {
  let at = path.startsWith('/') ? '/' : folder
  for (const name of path.split('/')) {
    if (name === '..') at = dirname(realPath(at))
    else if (name !== '' && name !== '.') at = join(at, name)
  }
  return at
}
