import { lstat, realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { codeOf, isInside } from './files.ts'

/** Says in a sentence why a path is refused, with the code under which callers report it. */
export class PathError extends Error {
  readonly code: 'path.outside' | 'path.not_found' | 'path.kind'
  readonly hint: string | undefined

  constructor(code: PathError['code'], message: string, hint?: string) {
    super(message)
    this.name = 'PathError'
    this.code = code
    this.hint = hint
  }
}

const PATH_BYTES = 4096
const NAME_BYTES = 255

/**
 * Finds where a path, relative to the root or absolute, really is, and refuses one outside the root. The root is a real
 * path: when a link has taken its place, everything is outside. It resolves the
 * deepest part that exists; the rest need not exist yet. Whoever uses the answer must not follow links (see
 * workspace-files.ts): they may have been swapped since.
 */
export async function resolveInside(root: string, path: string): Promise<string> {
  const real = await resolveFrom(root, path)
  if (!isInside(real, root)) throw outside(path)
  return real
}

/** Resolves a path wherever it leads, for callers who decide themselves whether it may. */
export async function resolveFrom(root: string, path: string): Promise<string> {
  checkSpelling(path)
  if (isAbsolute(path)) return await resolveExisting(resolve(path), path)
  return await resolveExisting(resolve(await resolveExisting(root, root), path), path)
}

/** The path as people and models read it: relative to the root, with slashes. */
export const shownPath = (root: string, real: string): string => relative(root, real).split(sep).join('/') || '.'

/** Which pattern protects this path: changing it would change what agents may do. Undefined when none does. */
export function isProtected(root: string, home: string, real: string, userHome?: string): string | undefined {
  // A workspace may itself lie in the data folder (a worktree); what is below that workspace is the session's own.
  if (isInside(real, home) && !(isInside(root, home) && isInside(real, root))) return '<home>/**'
  const segments = (isInside(real, root) ? relative(root, real) : real).split(sep).map(folded)
  const folder = segments.find((segment) => protectedNames.folders.includes(segment))
  if (folder !== undefined) return `${folder}/**`
  return protectedFile(segments.at(-1) ?? '') ?? personalName(root, userHome, real)
}

/**
 * Where agents work in the person's home folder itself, every name in it that begins with a dot: shells, git and the
 * desktop run what such files say. Elsewhere that folder is outside the workspace.
 */
function personalName(root: string, userHome: string | undefined, real: string): string | undefined {
  if (userHome === undefined || !isInside(userHome, root) || !isInside(real, userHome)) return undefined
  const [name = ''] = relative(userHome, real).split(sep)
  return name.startsWith('.') ? name : undefined
}

/** Names that change what agents may do, in any folder; every file whose name begins with `.env` is one. */
const protectedNames = { folders: ['.troupe', '.git', '.claude', '.agents'], files: ['.mcp.json'] }

/** Whether an entry of a folder has a protected name. `.git` may also be a file, and any of them a link. */
export const isProtectedName = (name: string, folder: boolean): boolean =>
  protectedNames.folders.includes(folded(name)) || (!folder && protectedFile(folded(name)) !== undefined)

/** Names that some file system takes for the same one. */
const folded = (name: string): string =>
  name
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase()
    .replace(/[. ]+$/, '')
    // What Windows calls such a name beside its own.
    .replace(/^(git|troupe|claude|agents|env)~\d$/, '.$1')

/** Templates are there to be copied and hold no values. */
const template = /^\.env(\..+)?\.(example|sample|template|tmpl|dist)$/

function protectedFile(name: string): string | undefined {
  if (name.startsWith('.env')) return template.test(name) ? undefined : '.env*'
  return protectedNames.files.includes(name) ? name : undefined
}

/** Turns the system's error codes about a file into sentences. */
export function fileError(error: unknown, path: string): unknown {
  const named = JSON.stringify(path)
  switch (codeOf(error)) {
    case 'ENOENT':
      return new PathError('path.not_found', `There is nothing at ${named}.`, 'list_dir and glob show what there is.')
    case 'EACCES':
    case 'EPERM':
      return new PathError('path.kind', `The system does not permit access to ${named}.`)
    case 'ELOOP':
    case 'ENOTDIR':
      return new PathError('path.kind', `${named} leads through a file, or through links that do not end.`)
    case 'ENAMETOOLONG':
      return tooLong()
    default:
      return error
  }
}

export const outside = (path: string): PathError =>
  new PathError(
    'path.outside',
    `${JSON.stringify(path)} is outside the workspace.`,
    'File tools reach only files in the workspace; a link does not change that.',
  )

function checkSpelling(path: string): void {
  if (path.includes('\0')) throw new PathError('path.kind', 'The path contains a NUL character.')
  const names = path.split(sep)
  if (Buffer.byteLength(path) > PATH_BYTES || names.some((name) => Buffer.byteLength(name) > NAME_BYTES))
    throw tooLong()
}

const tooLong = (): PathError =>
  new PathError('path.kind', `The path is too long: ${NAME_BYTES} bytes per name and ${PATH_BYTES} in all at most.`)

async function resolveExisting(absolute: string, path: string): Promise<string> {
  try {
    return await realpath(absolute)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' || absolute === dirname(absolute)) throw fileError(error, path)
  }
  // A link to nothing is not a missing file: writing through it would make its target, wherever that is.
  if (await isLink(absolute))
    throw new PathError('path.kind', `${JSON.stringify(path)} leads through a link to nothing.`)
  return join(await resolveExisting(dirname(absolute), path), basename(absolute))
}

async function isLink(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSymbolicLink()
  } catch {
    return false
  }
}

/** A path in one line: a name with a line break, or one that is no text, is shown as a string of JSON. */
export const shownName = (path: string): string => (/[\p{Cc}\u{fffd}]/u.test(path) ? JSON.stringify(path) : path)
