import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { makeBench } from '../kit/judge.ts'

const RUNS = 600

/** Pieces of shell in any order. Only what the judge lets run is run, bounded in time, memory and file size. */
const pieces = fc.array(
  fc.constantFrom(
    ...[
      'ls',
      'echo',
      'cat',
      'M',
      'M',
      'x',
      'a.txt',
      ' ',
      ' ',
      ' ',
      ';',
      '&&',
      '||',
      '|',
      '&',
      '\n',
      '$(',
      ')',
      '(',
      '`',
    ],
    ...[
      '"',
      "'",
      '\\',
      '{',
      '}',
      '<',
      '>',
      '<<',
      '<<<',
      '<(',
      '#',
      '$',
      '${',
      ':-',
      '=',
      'EOF',
      '\nEOF\n',
      '$((',
      '))',
    ],
    ...[
      '[',
      ']',
      '*',
      '!',
      ',',
      '-',
      '$x',
      'if ',
      'then ',
      'fi',
      'case ',
      ' in ',
      ';;',
      'esac',
      '\\\n',
      '\t',
      "$'",
      '$"',
    ],
    ...[
      'env ',
      'command ',
      'eval ',
      'sh -c ',
      'cd sub',
      'X=M',
      'for i in ',
      'do ',
      'done',
      '<<-EOF\n',
      "<<'EOF'\n",
      '@P',
    ],
  ),
  { minLength: 1, maxLength: 10 },
)

const framed = fc.tuple(
  fc.constantFrom(
    '',
    'echo ',
    'ls; ',
    'cat <<EOF\n',
    'echo "',
    'echo "${x:-',
    'echo $(echo ',
    "cat <<'EOF'\n",
    'if ls; then echo ',
  ),
  pieces.map((parts) => parts.join('')),
  fc.constantFrom('', '"', ')', '\nEOF', '}"', '; fi', '\nEOF\nls'),
)

test('no mixture of shell pieces that is let through reaches a program that is not allowed', async () => {
  const bench = makeBench({ allow: ['bash(ls*)', 'bash(echo*)', 'bash(cat*)'] })
  const marker = join(bench.root, 'marker')
  const bin = join(bench.root, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'M'), `#!/bin/sh\n: > ${marker}\n`)
  chmodSync(join(bin, 'M'), 0o755)
  for (const path of ['a.txt', 'sub/b.txt', 'x']) bench.put(path, 'M\n')
  const env = { PATH: `${bin}:${process.env.PATH}`, HOME: bench.root }
  await fc.assert(
    fc.asyncProperty(framed, async (parts) => {
      const command = parts.join('')
      if ((await bench.bash(command)) !== 'run') return
      const bounded = `ulimit -t 2 -f 2000 -v 2000000; exec bash -c "$1"`
      spawnSync('bash', ['-c', bounded, 'bash', command], { cwd: bench.workspace, env, input: '', timeout: 5000 })
      const reached = existsSync(marker)
      rmSync(marker, { force: true })
      expect(reached).toBe(false)
    }),
    { numRuns: RUNS, examples: [[['echo ', '$((M) ', ')']], [['echo "', '$((M) ', ')"']]] },
  )
})
