import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'tsdown'

const run = promisify(execFile)
const repository = dirname(dirname(import.meta.dirname))

/** The program as it is published, built in a folder of its own: sources may be edited and dist may be old. */
export async function buildPackage(folder: string): Promise<string> {
  const copy = join(folder, 'package')
  mkdirSync(copy)
  const parts = ['bin', 'src', 'agents', 'docs', 'scripts', 'package.json', 'tsconfig.json', 'tsdown.config.ts']
  for (const part of parts) cpSync(join(repository, part), join(copy, part), { recursive: true })
  const modules = join(repository, 'node_modules')
  symlinkSync(modules, join(copy, 'node_modules'))
  await run(process.execPath, [join(modules, 'tsdown', 'dist', 'run.mjs'), '--logLevel', 'warn'], { cwd: copy })
  // Where sources are, sources run.
  rmSync(join(copy, 'src'), { recursive: true })
  return join(copy, 'bin', 'troupe.mjs')
}

/** The hand-written loop, compiled by the same tool. */
export async function buildFloor(folder: string): Promise<string> {
  const outDir = join(folder, 'floor')
  await build({
    config: false,
    cwd: repository,
    entry: { floor: join(import.meta.dirname, 'floor.ts') },
    outDir,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    dts: false,
    report: false,
    logLevel: 'warn',
  })
  return join(outDir, 'floor.mjs')
}
