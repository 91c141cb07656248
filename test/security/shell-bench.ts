import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { type Bench, makeBench } from '../kit/judge.ts'

const programs =
  'ls cat grep rg find sort uniq xxd wc sed awk diff head date curl wget printf echo jq strings less ln cp mv tar zip node cc rsync column du file cmake chmod chown chgrp rm python3 pytest jest prettier mkdir'
const subcommands = [
  'git log',
  'git status',
  'git bisect',
  'git submodule',
  'go run',
  'go test',
  'go clean',
  'git commit',
  'git merge',
  'git rebase',
  'git revert',
  'git branch',
  'cargo build',
  'npm fund',
  'git push',
  'git fetch',
  'git pull',
  'git ls-remote',
  'git remote',
  'git clone',
  'git tag',
  'git add',
  'git stash',
  'uv run',
  'kubectl get',
  'gh pr view',
]
/** Rules for programs that are known. */
export const allow = [...programs.split(' '), ...subcommands].map((name) => `bash(${name}*)`)

/** A workspace with what commands of these tests name. */
export function prepared(rules: Parameters<typeof makeBench>[0]): Bench {
  const bench = makeBench(rules)
  for (const path of [
    'a.txt',
    'p',
    'sub/f',
    'repo/HEAD',
    '.git/config',
    'secret/x',
    'docs/f',
    'keep/in/f',
    'list/one',
    'list/two',
    'é',
    'x.tar',
  ])
    bench.put(path, 'x\n')
  for (const path of ['-delete', '1/1{system($0)}']) bench.put(path, 'x\n')
  symlinkSync('../elsewhere/none', join(bench.workspace, 'alink'))
  symlinkSync('../elsewhere/none', join(bench.workspace, 'sub/link'))
  symlinkSync('docs', join(bench.workspace, 'within'))
  return bench
}
