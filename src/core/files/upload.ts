import { extname, join } from 'node:path'
import { AppError } from '../../contract/errors.ts'
import { UPLOAD_BYTES, type Upload, type Uploaded } from '../../contract/files.ts'
import { statOf } from '../../lib/files/files.ts'
import { isProtectedName, PathError, shownPath } from '../../lib/files/paths.ts'
import { writeInside } from '../../lib/files/workspace-files.ts'
import { lock } from '../../lib/lock.ts'

const FOLDER = 'uploads'
/** So many files of one name are kept side by side. */
const NAMESAKES = 100
const oneAtATime = lock()

/** Puts a file of the person where the agent can read it. One of that name that is there stays, and the new one gets a number. */
export const keepUpload = (root: string, upload: Upload): Promise<Uploaded> =>
  oneAtATime(() => write(root, upload, Buffer.from(upload.data, 'base64')))

async function write(root: string, { name }: Upload, bytes: Buffer): Promise<Uploaded> {
  if (bytes.length > UPLOAD_BYTES) throw tooLarge(bytes.length)
  if (isProtectedName(name, false)) throw refused(`"${name}" is a name that agents may not be given.`)
  const path = freePath(root, name)
  if (path === undefined) throw refused(`There are ${NAMESAKES} files called "${name}" already.`)
  try {
    return { path: shownPath(root, await writeInside(root, path, bytes)), size: bytes.length }
  } catch (error) {
    if (!(error instanceof PathError)) throw error
    throw new AppError(error.code, error.message, { hint: 'Give the file another name.', cause: error })
  }
}

function freePath(root: string, name: string): string | undefined {
  const end = extname(name)
  const stem = name.slice(0, name.length - end.length)
  for (let number = 1; number <= NAMESAKES; number++) {
    const path = join(FOLDER, number === 1 ? name : `${stem}-${number}${end}`)
    if (statOf(join(root, path)) === undefined) return path
  }
  return undefined
}

const refused = (why: string): AppError => new AppError('request.invalid', why, { hint: 'Give the file another name.' })

const tooLarge = (bytes: number): AppError =>
  new AppError('request.too_large', `The file has ${bytes} bytes, more than ${UPLOAD_BYTES}.`, {
    hint: 'Put it into the workspace yourself, and name its path.',
  })
