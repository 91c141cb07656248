import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { findProgram } from '../../../src/lib/process/programs.ts'
import { makeFolder } from '../../kit/files.ts'

/** What the system saw: programs by name, and files and folders that were opened, as real paths. */
interface Traced {
  readonly started: readonly string[]
  readonly opened: readonly string[]
  /** Those of them that were not opened to be written only. */
  readonly read: readonly string[]
}

interface Tracer {
  /** The folder in which it writes. */
  readonly folder: string
  /** What to put before a command. */
  readonly words: readonly string[]
  read(): Traced
}

const strace = findProgram('strace', process.env)
const isTraced = strace !== undefined && spawnSync(strace, ['-o', '/dev/null', 'true']).status === 0
if (!isTraced) console.warn('!!! strace does not work here: what a command line opens is seen by what it prints only')

/** Stubs see what is found on the path, and outputs what is printed; the system sees every program and every file. */
export function makeTracer(): Tracer | undefined {
  if (!isTraced) return undefined
  const folder = makeFolder()
  const file = join(folder, 'calls')
  return {
    folder,
    words: [strace, '-f', '-qq', '-z', '-y', '-s', '4096', '-e', `trace=${calls}`, '-e', 'signal=none', '-o', file],
    read() {
      if (!existsSync(file)) return { started: [], opened: [], read: [] }
      const lines = readFileSync(file, 'utf8').split('\n')
      rmSync(file)
      return {
        started: found(lines, /\bexecve\("([^"]*)"/).map((path) => basename(path)),
        opened: found(lines, open),
        read: found(
          lines.filter((line) => !line.includes('O_WRONLY')),
          open,
        ),
      }
    },
  }
}

const calls = 'execve,open,openat,openat2,creat'
const open = /\b(?:open|openat|openat2|creat)\(.* = \d+<([^<>]*)>$/

const found = (lines: readonly string[], what: RegExp): string[] => [
  ...new Set(lines.flatMap((line) => what.exec(line)?.[1] ?? [])),
]
