import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../../contract/errors.ts'
import type { RunId } from '../../contract/ids.ts'
import type { RunFile, RunFileText } from '../../contract/runs.ts'
import { statOf } from '../../lib/files/files.ts'
import { PathError } from '../../lib/files/paths.ts'
import { filesBelow } from '../../lib/files/sealed.ts'
import { readInside } from '../../lib/files/workspace-files.ts'
import { findRun } from '../../store/runs.ts'
import { findSession } from '../../store/sessions.ts'
import { type Core, runFolder } from '../base/index.ts'
import { IMAGE_BYTES, imageType } from '../files/index.ts'
import { projectOfSession } from '../sessions/index.ts'
import { noRun } from './state.ts'

const FILES = 2000
const TEXT_BYTES = 1024 * 1024

/** The files of a run, by name; what is reached only through a link is none of them. */
export async function listRunFiles(core: Core, id: RunId): Promise<{ items: RunFile[]; more: boolean }> {
  const root = await folderOf(core, id)
  if (!existsSync(root)) return { items: [], more: false }
  const { paths, cut } = filesBelow(root, { files: FILES })
  return { items: paths.map((path) => ({ path, size: statOf(join(root, path))?.size ?? 0 })), more: cut !== undefined }
}

/** One file of a run: a text, with what is hidden from everyone masked, or an image. */
export async function readRunFile(core: Core, id: RunId, path: string): Promise<RunFileText> {
  const root = await folderOf(core, id)
  try {
    const mediaType = imageType(path)
    const { bytes } = await readInside(root, path, mediaType === undefined ? TEXT_BYTES : IMAGE_BYTES)
    const image = mediaType && { mediaType, data: bytes.toString('base64') }
    if (image) return { path, size: bytes.length, text: '', image }
    return { path, size: bytes.length, text: core.mask(new TextDecoder().decode(bytes)) }
  } catch (error) {
    if (!(error instanceof PathError)) throw error
    throw new AppError(error.code, error.message, {
      hint: `Texts of a run are read up to ${TEXT_BYTES} bytes, images up to ${IMAGE_BYTES}; GET /api/runs/${id}/files lists them.`,
      cause: error,
    })
  }
}

async function folderOf(core: Core, id: RunId): Promise<string> {
  const run = await findRun(core.store.read, id)
  const coordinator = run && (await findSession(core.store.read, run.session_id))
  if (coordinator === undefined) throw noRun(id)
  return join((await projectOfSession(core, coordinator)).path, runFolder(id))
}
