import { execFile, spawn } from 'node:child_process'
import { accessSync, closeSync, constants, openSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { makeFolder } from '../files/folders.ts'
import type { Variables } from './environment.ts'

interface StartedProgram {
  readonly pid: number | undefined
  /** The exit code; undefined when the program could not be started or died of a signal. */
  readonly exited: Promise<number | undefined>
}

/** Starts a Node program that outlives us and prints to the end of `logFile`. */
export function startDetached(args: readonly string[], logFile: string, cwd: string): StartedProgram {
  makeFolder(dirname(logFile))
  const log = openSync(logFile, 'a', 0o600)
  const child = spawn(process.execPath, args, { cwd, detached: true, stdio: ['ignore', log, log], windowsHide: true })
  closeSync(log)
  child.unref()
  const exited = new Promise<number | undefined>((resolve) => {
    child.on('error', () => resolve(undefined))
    child.on('exit', (code) => resolve(code ?? undefined))
  })
  return { pid: child.pid, exited }
}

/** The first line a program prints for --version; undefined when the program is not there. */
export function programVersion(name: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(name, ['--version'], { timeout: 5000, maxBuffer: 64 * 1024 }, (error, stdout) => {
      resolve(error ? undefined : stdout.split('\n')[0]?.trim())
    })
  })
}

/** Looks for a program in the absolute folders of PATH; a relative one would depend on our working folder. */
export function findProgram(name: string, env: Variables): string | undefined {
  const folders = (env.PATH ?? '').split(':').filter(isAbsolute)
  return folders.map((folder) => join(folder, name)).find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
