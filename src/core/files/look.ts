import { extname } from 'node:path'
import { AppError } from '../../contract/errors.ts'
import type { FileView, FolderView } from '../../contract/files.ts'
import { iso } from '../../lib/clock.ts'
import { entriesInside } from '../../lib/files/folder-entries.ts'
import { isProtected, isProtectedName, PathError, resolveInside, shownPath } from '../../lib/files/paths.ts'
import { readInside } from '../../lib/files/workspace-files.ts'
import type { Core } from '../base/index.ts'

const ENTRIES = 2000
const TEXT_BYTES = 1024 * 1024
export const IMAGE_BYTES = 4 * 1024 * 1024
/** A file is looked at so far to know whether it is a text. */
const SNIFFED = 8192

/** What browsers show as an image and nothing else. SVG is a document, and is shown as its text. */
const images: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.avif': 'image/avif',
}

/** Of a file that is an image by its name. */
export const imageType = (path: string): string | undefined => images[extname(path).toLowerCase()]

/** What is in a folder below the root. */
export const showFolder = (core: Core, root: string, path: string): Promise<FolderView> =>
  refusing(async () => {
    await mustBeOpen(core, root, path)
    const { real, entries, cut } = await entriesInside(root, path, ENTRIES)
    const at = shownPath(root, real)
    const items = entries.map(({ changedAt, ...entry }) => ({
      ...entry,
      path: at === '.' ? entry.name : `${at}/${entry.name}`,
      changedAt: iso(Math.round(changedAt)),
      ...(isProtectedName(entry.name, entry.kind === 'folder') && { protected: true as const }),
    }))
    return { path: at, items, more: cut }
  })

/** One file, as far as a page can show it. */
export const showFile = (core: Core, root: string, path: string): Promise<FileView> =>
  refusing(async () => {
    await mustBeOpen(core, root, path)
    const image = imageType(path)
    const { real, bytes } = await readInside(root, path, image === undefined ? TEXT_BYTES : IMAGE_BYTES)
    const about = { path: shownPath(root, real), size: bytes.length }
    if (image !== undefined) return { ...about, mediaType: image, data: bytes.toString('base64') }
    if (bytes.subarray(0, SNIFFED).includes(0)) return { ...about, mediaType: 'application/octet-stream' }
    return { ...about, mediaType: 'text/plain', text: core.mask(new TextDecoder().decode(bytes)) }
  })

/** A device is not the machine: what holds keys or rules is looked at there, by whoever sits at it. */
async function mustBeOpen(core: Core, root: string, path: string): Promise<void> {
  const real = await resolveInside(root, path)
  const pattern = isProtected(root, core.home, real, core.env.HOME)
  if (pattern === undefined) return
  throw new AppError('permission.denied', `${JSON.stringify(path)} is protected (${pattern}) and is not shown here.`, {
    hint: 'Look at it on the machine itself.',
  })
}

async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof PathError)) throw error
    throw new AppError(error.code, error.message, {
      hint: 'GET /api/files lists what is there. Texts are shown up to 1 MB, images up to 4 MB.',
      cause: error,
    })
  }
}
