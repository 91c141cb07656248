import { lstat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { AppError } from '../../contract/errors.ts'
import type { ToolContext, Touch } from '../../core/base/index.ts'
import { inRun, isRunPath, watchedIn } from '../../core/permissions/index.ts'
import { isInside } from '../../lib/files/files.ts'
import { isProtected, outside, PathError, resolveFrom, resolveInside, shownPath } from '../../lib/files/paths.ts'
import { readInside, writeInside } from '../../lib/files/workspace-files.ts'
import { HIDDEN } from '../../lib/mask.ts'
import { writeOurselves } from '../../lib/sandbox/watch.ts'

/** Turns a refusal by the path rules into an AppError; other errors pass. */
export async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof PathError)) throw error
    throw new AppError(error.code, error.message, { ...(error.hint && { hint: error.hint }), cause: error })
  }
}

/** An agent must not write the mask it was shown over the secret behind it. */
export function refuseHidden(written: string, there: string): void {
  if (!written.includes(HIDDEN) || there.includes(HIDDEN)) return
  throw new AppError(
    'tool.failed',
    `${HIDDEN} stands for something that you are not shown; the file was left as it is.`,
    {
      hint: 'Change the lines around it with edit_file, without the line that holds it.',
    },
  )
}

/** `refuseHidden` for a whole file; a new file may hold any text. */
export async function keepSecrets(root: string, path: string, content: string): Promise<void> {
  if (!content.includes(HIDDEN)) return
  const there = await readInside(root, path, Number.MAX_SAFE_INTEGER).catch(() => undefined)
  if (there !== undefined) refuseHidden(content, there.bytes.toString('utf8'))
}

interface Spot {
  /** Files are looked up from this folder, and nothing above it can be reached. */
  readonly root: string
  /** Below the root. */
  readonly path: string
  readonly real: string
}

/** Writes a file so that no command that runs meanwhile is taken for it. */
export const writeAt = ({ core }: ToolContext, { root, path, real }: Spot, content: string): Promise<string> =>
  writeOurselves(real, content, watchedIn(core), () => writeInside(root, path, content))

/**
 * Where a path is: in the workspace, or a path outside that this call was permitted exactly. The data folder is refused
 * here too, although the permission rules never let such a call get this far. Files of a run are reached from the folder
 * in which they may be touched.
 */
export async function locateFile(
  { core, workspace, reach, run }: ToolContext,
  path: string,
  access: Touch['access'] = 'read',
): Promise<Spot> {
  const real = await resolveFrom(run && isRunPath(path) ? run.root : workspace, path)
  const scoped = run && inRun(run, real, access)
  if (scoped !== undefined && 'refuse' in scoped) throw new PathError('path.outside', scoped.refuse)
  if (scoped !== undefined) return { root: scoped.area, path: shownPath(scoped.area, real), real }
  if (isProtected(workspace, core.home, real) === '<home>/**')
    throw new PathError(
      'path.outside',
      `${JSON.stringify(path)} is in troupe's own data folder, which agents cannot reach.`,
    )
  if (isInside(real, workspace)) return { root: workspace, path, real }
  if (!reach.some((permitted) => permitted.path === real)) throw outside(path)
  const folder = await lstat(real).then(
    (stats) => stats.isDirectory(),
    () => false,
  )
  return folder ? { root: real, path: '.', real } : { root: dirname(real), path: basename(real), real }
}

interface Area {
  readonly root: string
  /** The folder to search, as names below the root. */
  readonly from: readonly string[]
  /** When a single file was named. */
  readonly file?: string
  readonly hidden: readonly string[]
}

/** What a search of this path may look at. */
export async function areaOf(context: ToolContext, path: string): Promise<Area> {
  const { real, root: from } = await locateFile(context, path)
  const stats = await lstat(real).catch(() => undefined)
  const root = await resolveInside(from, '.')
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
  const hidden = [context.core.home, ...context.hidden].filter((each) => isInside(each, root) && each !== root)
  return {
    root,
    from: stats.isFile() ? names.slice(0, -1) : names,
    ...(stats.isFile() && { file: shown }),
    hidden: hidden.map((each) => shownPath(root, each)),
  }
}
