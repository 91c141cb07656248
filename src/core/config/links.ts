import { dirname } from 'node:path'
import { AppError } from '../../contract/errors.ts'
import { isInside, realPath, statOf } from '../../lib/files/files.ts'

/** A project from elsewhere may have links: what is written or removed in it for the person is really there. */
export function refuseLinkOut(root: string | undefined, folder: string): void {
  if (!leadsOut(root, folder)) return
  throw new AppError('path.outside', `${folder} ${LEADS_OUT}; nothing was changed.`, {
    hint: 'Put an ordinary folder in its place.',
  })
}

export const LEADS_OUT = 'is reached by a link that leads out of the project'

export const leadsOut = (root: string | undefined, folder: string): boolean =>
  root !== undefined && !isInside(realPath(nearest(folder)), realPath(root))

/** The folder, or the one above it that is there. */
const nearest = (folder: string): string =>
  statOf(folder) || folder === dirname(folder) ? folder : nearest(dirname(folder))
