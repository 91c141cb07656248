import { lstat } from 'node:fs/promises'
import { AppError } from '../contract/errors.ts'
import type { ToolContext } from '../core/core.ts'
import { isInside } from '../lib/files.ts'
import { isProtected, PathError, resolveInside, shownPath } from '../lib/paths.ts'

/** A refusal by the path rules becomes an error of ours; anything else passes. */
export async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof PathError)) throw error
    throw new AppError(error.code, error.message, { ...(error.hint && { hint: error.hint }), cause: error })
  }
}

/** The real path; the data folder is refused here too, although the permission rules never let a call get this far. */
export async function locate({ core, workspace }: ToolContext, path: string): Promise<string> {
  const real = await resolveInside(workspace, path)
  if (isProtected(workspace, core.home, real) === '<home>/**')
    throw new PathError(
      'path.outside',
      `${JSON.stringify(path)} is in troupe's own data folder, which agents cannot reach.`,
    )
  return real
}

export interface Area {
  readonly root: string
  /** The folder to search, as names below the root. */
  readonly from: readonly string[]
  /** When a single file was named. */
  readonly file?: string
  readonly hidden: readonly string[]
}

/** What a search of this path may look at. */
export async function areaOf(context: ToolContext, path: string): Promise<Area> {
  const real = await locate(context, path)
  const stats = await lstat(real).catch(() => undefined)
  const root = await resolveInside(context.workspace, '.')
  const shown = shownPath(root, real)
  if (stats === undefined)
    throw new PathError(
      'path.not_found',
      `There is nothing at ${JSON.stringify(path)}.`,
      'list_dir shows what there is.',
    )
  if (!stats.isDirectory() && !stats.isFile())
    throw new PathError('path.kind', `${JSON.stringify(path)} is not an ordinary file or folder.`)
  const names = shown === '.' ? [] : shown.split('/')
  const home = context.core.home
  return {
    root,
    from: stats.isFile() ? names.slice(0, -1) : names,
    ...(stats.isFile() && { file: shown }),
    hidden: isInside(home, root) && home !== root ? [shownPath(root, home)] : [],
  }
}
