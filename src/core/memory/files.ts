import { rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { AppError } from '../../contract/errors.ts'
import type { MemoryFile } from '../../contract/memory.ts'
import { iso } from '../../lib/clock.ts'
import { codeOf, listFolder, realPath, sha256 } from '../../lib/files/files.ts'
import { PathError, resolveInside } from '../../lib/files/paths.ts'
import { walk } from '../../lib/files/walk.ts'
import { openFolderInside, readInside, writeInside } from '../../lib/files/workspace-files.ts'
import type { Core, Project } from '../base/index.ts'
import { isMemoryPath } from './paths.ts'
import { hasMemory, memoryScope, memorySource, type Scope, scopeFolder } from './scopes.ts'

/** What a file may hold that agents write; one edited by hand may be larger and is read up to `READ_BYTES`. */
export const FILE_BYTES = 256 * 1024
export const FILES = 2000
export const READ_BYTES = 4 * 1024 * 1024
const HASH_CHARS = 16

export interface MemoryBytes {
  readonly bytes: Buffer
  readonly digest: string
  readonly hash: string
}

/** The short form of a digest, which a replace has to name. */
export const hashOf = (digest: string): string => digest.slice(0, HASH_CHARS)

/** Undefined where there is no such file. */
export async function readBytes(scope: Scope, path: string): Promise<MemoryBytes | undefined> {
  try {
    await refuseLinks(scope, path)
    const { bytes } = await readInside(scope.base, join(scope.folder, path), READ_BYTES)
    const digest = sha256(bytes)
    return { bytes, digest, hash: hashOf(digest) }
  } catch (error) {
    if (error instanceof PathError && error.code === 'path.not_found') return undefined
    throw told(error, scope, path)
  }
}

/** The whole file or nothing. */
export async function writeBytes(scope: Scope, path: string, bytes: Buffer): Promise<void> {
  try {
    await refuseLinks(scope, path)
    await writeInside(scope.base, join(scope.folder, path), bytes)
  } catch (error) {
    throw told(error, scope, path)
  }
}

/** No error where it is gone already. */
export async function removeFile(scope: Scope, path: string): Promise<void> {
  try {
    const real = await refuseLinks(scope, path)
    const folder = await openFolderInside(scope.base, dirname(join(scope.folder, path)))
    try {
      await rm(join(folder.path, basename(real)), { force: true })
    } finally {
      await folder.handle.close()
    }
  } catch (error) {
    if (codeOf(error) !== 'path.not_found') throw told(error, scope, path)
  }
}

/** Every memory file that a person may look at, agent by agent; at most `FILES` of each. */
export function listMemory(core: Pick<Core, 'home' | 'host'>, project: Project): MemoryFile[] {
  const scopes = [memoryScope(core, project, 'user')]
  if (hasMemory(core, project)) scopes.push(...projectScopes(core, project))
  return scopes.flatMap((scope) => memoryFiles(scope))
}

/** The project's own and those of the agents that have written something. */
export function projectScopes(core: Pick<Core, 'home' | 'host'>, project: Project): Scope[] {
  const own = memoryScope(core, project, 'project')
  const agents = listFolder(join(scopeFolder(own), own.without[0]!)).filter(({ folder }) => folder)
  return [own, ...agents.map(({ name }) => memoryScope(core, project, 'agent', name))]
}

export function memoryFiles(scope: Scope, limit = FILES): MemoryFile[] {
  const root = scopeFolder(scope)
  if (realPath(root) !== root) return []
  const files: MemoryFile[] = []
  try {
    for (const found of walk(root, { from: [], includeIgnored: true, hidden: scope.without })) {
      if (found.kind !== 'file' || !isMemoryPath(scope, found.path)) continue
      const stats = found.stat()
      if (stats === undefined) continue
      const { name, agent } = scope
      files.push({
        scope: name,
        ...(agent !== undefined && { agent }),
        path: found.path,
        bytes: stats.size,
        changedAt: iso(Math.round(stats.mtimeMs)),
      })
      if (files.length >= limit) break
    }
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
  return files
}

/** A memory file is where its name says: no link leads to it, not even one that stays in the folder. */
async function refuseLinks(scope: Scope, path: string): Promise<string> {
  const real = await resolveInside(scope.base, join(scope.folder, path))
  if (real === join(scope.base, scope.folder, path)) return real
  throw new PathError('path.outside', 'a link, or another spelling of its name, leads elsewhere.')
}

function told(error: unknown, scope: Scope, path: string): unknown {
  if (!(error instanceof PathError)) return error
  return new AppError('memory.path', `${memorySource(scope, path)} cannot be used: ${error.message}`, {
    hint: 'Memory files are ordinary files, reached without links; use another path.',
    cause: error,
  })
}
