import { accessSync, constants, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes a folder that only its owner may enter, with its parents, one by one: the recursive way of Node never ends where
 * a file system lets nothing be made, such as /proc.
 */
export function makeFolder(path: string): void {
  if (isFolder(path)) return
  const parent = dirname(path)
  if (parent !== path) makeFolder(parent)
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Another process may have been faster.
    if (!isFolder(path)) throw error
  }
}

/** Why a folder cannot be made or written, in words; undefined when it can. */
export function folderProblem(path: string): string | undefined {
  try {
    makeFolder(path)
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
    return undefined
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    return reasons[code] ?? `the system says ${code}`
  }
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'you may not write there',
  EEXIST: 'it, or a part of its path, is a file',
  ENOENT: 'nothing can be made there',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'it, or a part of its path, is a file',
  EPERM: 'you may not write there',
  EROFS: 'the file system is read-only',
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
