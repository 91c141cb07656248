import { closeSync, openSync, readlinkSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { codeOf, realPath } from '../files/files.ts'
import { FIRST_DESCRIPTOR } from '../process/processes.ts'

/**
 * What a command may reach is handed to bubblewrap as open descriptors, not as names: a name can lead elsewhere by the
 * time it is used, as commands that run already can swap a folder for a link.
 */
export interface Descriptors {
  readonly all: readonly number[]
  /** The number under which bubblewrap finds what is at this real path; undefined when nothing is there. */
  open(path: string): number | undefined
  /** The same for what is open already; it is closed with the others. */
  take(descriptor: number): number
  close(): void
}

/** Something else is at a path than was there when it was looked at. */
export class Swapped extends Error {
  constructor(path: string, real: string) {
    super(`${path} is not a place of its own any more: it leads to ${real} through a link.`)
  }
}

/** Linux: opens nothing but the place itself, whatever the rights on it are. */
const O_PATH = 0o10000000

export function holdDescriptors(): Descriptors {
  const all: number[] = []
  const take = (descriptor: number): number => FIRST_DESCRIPTOR + all.push(descriptor) - 1
  return {
    all,
    take,
    open(path) {
      const descriptor = openReal(path)
      return descriptor === undefined ? undefined : take(descriptor)
    },
    close() {
      for (const descriptor of all.splice(0)) closeSync(descriptor)
    },
  }
}

/** Refuses early; what is handed over opened is compared once more when it is. */
export function checkReal(path: string): void {
  const real = realPath(path)
  if (real !== path) throw new Swapped(path, real)
}

/** A mount needs something to lie on, so a missing file is made: a command that may write a file may also make it. */
export function makeReal(path: string): void {
  const folder = openReal(dirname(path))
  if (folder === undefined) return
  try {
    closeSync(openSync(`/proc/self/fd/${folder}/${basename(path)}`, 'wx', 0o644))
  } catch {
    // The file is there, or it cannot be made and the command will say so.
  } finally {
    closeSync(folder)
  }
}

function openReal(path: string): number | undefined {
  const descriptor = opened(path)
  if (descriptor === undefined) return undefined
  const real = readlinkSync(`/proc/self/fd/${descriptor}`)
  if (real === path) return descriptor
  closeSync(descriptor)
  if (real.endsWith(' (deleted)')) return undefined
  throw new Swapped(path, real)
}

function opened(path: string): number | undefined {
  try {
    return openSync(path, O_PATH)
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined
    throw error
  }
}
