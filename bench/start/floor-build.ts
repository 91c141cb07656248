import { dirname, join } from 'node:path'
import { build } from 'tsdown'

const repository = dirname(dirname(import.meta.dirname))

/** Compiles the hand-written loop with the tool that builds our program. */
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
