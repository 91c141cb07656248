import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { type Bench, makeBench } from '../kit/judge.ts'

export const bash = (...patterns: string[]): string[] => patterns.map((pattern) => `bash(${pattern})`)

/** A workspace with what commands of these tests name, and with ways out of it. */
export function prepared(rules: Parameters<typeof makeBench>[0]): Bench {
  const bench = makeBench(rules)
  for (const path of [
    'a.txt',
    'b.txt',
    'src/x.ts',
    'src/y.ts',
    'secret/x',
    'sub/.env',
    '.env',
    '.git/config',
    'evil.sh',
    'sub/f',
  ])
    bench.put(path, 'x\n')
  mkdirSync(join(bench.workspace, 'deep'))
  symlinkSync('..', join(bench.workspace, 'up'))
  symlinkSync('sub', join(bench.workspace, 'way'))
  symlinkSync('../elsewhere/none', join(bench.workspace, 'dangling'))
  return bench
}
