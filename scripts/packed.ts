import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const repository = dirname(import.meta.dirname)

/** Builds the program as it is published, in a folder of its own, as sources may be edited and dist may be old. */
export async function buildPackage(folder: string): Promise<string> {
  const copy = join(folder, 'package')
  mkdirSync(copy)
  const parts = ['bin', 'src', 'web', 'agents', 'docs', 'scripts', 'package.json', 'tsconfig.json', 'tsdown.config.ts']
  for (const part of parts) cpSync(join(repository, part), join(copy, part), { recursive: true })
  const modules = join(repository, 'node_modules')
  symlinkSync(modules, join(copy, 'node_modules'))
  const build = (...words: string[]) => run(process.execPath, words, { cwd: copy })
  await Promise.all([
    build(join(modules, 'tsdown', 'dist', 'run.mjs'), '--logLevel', 'warn'),
    build(join(modules, 'vite', 'bin', 'vite.js'), 'build', 'web', '--logLevel', 'warn'),
  ])
  // The program runs its sources where it finds them, so they are removed.
  for (const sources of ['src', 'web']) rmSync(join(copy, sources), { recursive: true })
  return join(copy, 'bin', 'troupe.mjs')
}
