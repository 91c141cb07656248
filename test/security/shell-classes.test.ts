// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is shell

import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Bench, each, makeBench, verdicts } from '../kit/judge.ts'

/** Every class of disguise that was ever let through, with examples; `M` is any program that no rule names. */

const bash = (...patterns: string[]): string[] => patterns.map((pattern) => `bash(${pattern})`)

function prepared(rules: Parameters<typeof makeBench>[0]): Bench {
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

test.each([
  ['words behind a redirection', ['command 2>/dev/null touch p', 'true 2>/dev/null $(touch p)', '2>/dev/null touch p']],
  ['lines that are joined', ['true\n\\\ntouch p', 'tr\\\nue', 'true\\\n; touch p', 'tou\\\nch p']],
  ['brackets', ['[ a || touch ]', '[ a | sh ]', '[ x > .env ]', '[[x>../f ]]', '[[ x ]]', '[[ -f a ]] && M', '[ a']],
  [
    'subscripts',
    [
      "[[ 'a[$(touch p)]' -eq 0 ]]",
      "test -v 'a[$(touch p)]'",
      "[ -R 'a[$(M)]' ]",
      '(( a[$(M)] ))',
      "[ 'a[$(M)]' -eq 0 ]",
    ],
  ],
  [
    'another shell',
    ["sh -c '[[ x || sh ]]'", "sh -c 'true'", 'dash -c true', 'bash -lc true', "bash -c 'true' x", "bash -c 'M'"],
  ],
  [
    'what is no command',
    [
      '((x=1))',
      '# M',
      ' ',
      '> /dev/null',
      'x=1',
      'x[0]=1',
      'function f { M; }',
      'coproc true',
      'select x in a; do true; done',
      'case a in a) true;; esac',
    ],
  ],
  [
    'what changes what follows',
    [
      'export A=1',
      'read x',
      'eval true',
      'trap M EXIT',
      '. ./evil.sh',
      'set -k',
      'shopt -s extglob',
      'alias a=M',
      'exec 3<a.txt',
      'wait -p PATH',
      'printf %n PATH',
      'printf -v PATH x',
      'cd -',
      'cd "$x"',
    ],
  ],
])('with no rules at all a command is asked for: %s', async (_, lines) => {
  expect(await verdicts(prepared({}), lines)).toEqual(each(lines, 'ask'))
})

test('with no rules at all what does nothing by itself runs, in the workspace only', async () => {
  const free = [
    'true',
    'cd src',
    'cd src && pwd',
    '[ -f a.txt ]',
    '[ ! -f a.txt ]',
    'test -d src && cd src',
    '[ a = b ]',
    'set -e',
    'cat <<E\nx\nE',
    'exit 1',
  ]
  expect(await verdicts(prepared({}), free)).toEqual(each(free, 'run'))
  const outside = ['cd ..', 'cd up', '[ -f ../x ]', 'cd deep/../..', 'cat < /etc/hostname', 'cd /', 'cd ~']
  expect(await verdicts(prepared({}), outside)).toEqual(each(outside, 'ask'))
})

const reading = bash(
  'ls*',
  'cat *',
  'find *',
  'git log*',
  'git status*',
  'git grep *',
  'echo *',
  'sort *',
  'uniq *',
  'xxd *',
  'grep *',
  'wc *',
  'sed *',
  'awk *',
  'diff *',
  'head *',
)

test.each([
  [
    'behind a redirection',
    [
      'ls 2>/dev/null $(M)',
      'find . 2>/dev/null -delete',
      'cat a.txt 2>/dev/null ../private.txt',
      'git log 2>&1 --output=f',
    ],
  ],
  ['over two lines', ['cat .\\\n./private.txt', 'find . -\\\nexec M \\;', 'ls\\\n; M']],
  [
    'inside a word',
    [
      'echo `echo \\`M\\``',
      'echo "$(M)"',
      'echo $(M)',
      'echo ${x:-$(M)}',
      'echo $((x[$(M)]))',
      'echo ${x@P}',
      'cat <(M)',
      "echo $'a\\'; M; #'",
      'echo "${x:=M}"',
      'echo $[1]',
    ],
  ],
  [
    'through xargs',
    [
      'echo touch p | xargs -I ls sh -c ls',
      'echo ../private.txt | xargs cat',
      'find . | xargs cat',
      'ls | xargs -I{} cat {}',
      'xargs cat < a.txt',
      'find src | xargs awk -v x=M',
      'find src | xargs',
    ],
  ],
  [
    'through patterns',
    [
      'cat s*/../../private.txt',
      'cat u*/private.txt',
      'cat {a.txt,../private.txt}',
      'cat .*/x',
      'ls [u]p/x',
      'cat way/../../private.txt',
      'cat up/x',
      'cat dangling',
    ],
  ],
  [
    'by an option',
    [
      'find . -exec M {} +',
      'find . -fprint f',
      'find -L .',
      'git grep -lO"sh evil.sh" x',
      'git log --outp=f',
      'git log --ext-diff',
      'sort -o f a.txt',
      'sort -uof a.txt',
      'sort --compress-prog=M a.txt',
      'wc --files0-from=a.txt',
      'grep -R x .',
      'grep -f ../p x',
      "sed -n '1w f' a.txt",
      "sed 's/x/M/e' a.txt",
      'sed -i s/x/y/ a.txt',
      'sed -f a.txt b.txt',
      `awk '{print > "f"}' a.txt`,
      `awk 'BEGIN{system("M")}'`,
      'awk -f evil.sh',
      'diff -r src up',
      'sort -T.. a.txt',
    ],
  ],
  [
    'by an operand',
    ['uniq a.txt b.txt', 'xxd a.txt f', 'uniq - .env', 'xxd a.txt -5', 'xxd a.txt -C', 'uniq a.txt -c'],
  ],
  [
    'in another way',
    [
      'A=1 ls',
      'PATH=. ls',
      'env ls',
      'env X=1 ls',
      'git -C sub status',
      'git -c a=b log',
      'git --git-dir=x log',
      'sudo ls',
      'nohup M',
      'timeout 5 M',
      'nice -n 5 M',
      'command M',
      './ls',
      'lsof',
      'CI=$(M) ls',
      'LANG=../x ls',
      'CI=1 M',
    ],
  ],
  [
    'by what an earlier part makes',
    ['ln -s .. l && cat l/private.txt', 'cat x/y & mv up x', 'ln -s src l && echo x > l/f', 'mv way x && cat x/f'],
  ],
])('a pattern for a program does not cover more than it says: %s', async (_, lines) => {
  expect(await verdicts(prepared({ allow: [...reading, ...bash('ln *', 'mv *')] }), lines)).toEqual(each(lines, 'ask'))
})

test('a pattern for a program that writes covers no path outside and none that is protected', async () => {
  const allow = bash(
    'cp *',
    'mv *',
    'tee *',
    'dd *',
    'tar *',
    'wget *',
    'git mv *',
    'git clone *',
    'git rebase *',
    'touch *',
    'rm *',
    'mkdir *',
    'ln *',
  )
  const asked = [
    'cp a.txt .e*',
    'cp a.txt .env',
    'tee .gi?/config',
    'cp -vt../out a.txt',
    'cp -vt .git a.txt',
    'cp --target=.git a.txt',
    'wget http://x -qO.env',
    'wget --use-askpass=M x',
    'wget -e use_askpass=M x',
  ]
  const more = [
    'dd of=../x',
    'dd if=a.txt of=.env',
    'git mv a.txt .troupe/settings.local.json',
    'tar cIf "sh evil.sh" x a.txt',
    'tar -cf x --to-command=M a',
    'tar xf x -C ..',
    'git clone -qu M x',
    'git clone ext::M x',
    'git rebase -fx M',
    'touch ../x',
    'rm up/x',
    'mv a.txt up',
    'tee dangling',
    'mkdir -p .claude/skills',
    'cp sub/.env .',
    'mv -t . sub/.env',
  ]
  expect(await verdicts(prepared({ allow }), [...asked, ...more])).toEqual(each([...asked, ...more], 'ask'))
  const fine = [
    'cp a.txt c.txt',
    'cp -t sub a.txt',
    'mv a.txt sub',
    'tee sub/x',
    'dd if=a.txt of=c',
    'tar czf x.tgz src',
    'touch {a,b}.txt',
    'rm src/*.ts',
    'mkdir -p out/x',
  ]
  expect(await verdicts(prepared({ allow }), fine)).toEqual(each(fine, 'run'))
})

test('an exact rule covers exactly its words', async () => {
  const bench = prepared({ allow: bash('git diff', 'npm test', 'ls', 'git status', 'env X=1 ls', 'foo --bar') })
  const asked = [
    "env GIT_EXTERNAL_DIFF='sh evil.sh' git diff",
    'env NODE_OPTIONS=--require=./x.js npm test',
    'X=1 npm test',
    'git -C sub status',
    'env X=2 ls',
    'git diff x',
    'foo --bar x',
    'cd .. && ls',
  ]
  expect(await verdicts(bench, asked)).toEqual(each(asked, 'ask'))
  const fine = [
    'git diff',
    'npm test',
    'CI=1 npm test',
    'NO_COLOR=1 LC_ALL=C ls',
    'timeout 60 npm test',
    'env X=1 ls',
    'foo --bar',
    'cd src && ls',
  ]
  expect(await verdicts(bench, fine)).toEqual(each(fine, 'run'))
})

test('what "always" writes is the command with all that stands before it', async () => {
  const bench = prepared({})
  const always = async (command: string) => {
    const verdict = await bench.judge('bash', { command })
    return verdict.verdict === 'ask' ? verdict.always : verdict
  }
  expect(await always('env X=1 ls')).toEqual(['bash(env X=1 ls)'])
  expect(await always('git -C sub status')).toEqual(['bash(git -C sub status)'])
  expect(await always('X=1 make && cd src && ls -l')).toEqual(['bash(X=1 make)', 'bash(ls -l)'])
  expect(await always('cat *.txt')).toEqual(['bash(cat \\*.txt)'])
  expect(await always('for f in a b; do rm $f; done')).toEqual(['bash(for f in a b; do rm $f; done)'])
  expect(await always('[[ x ]]')).toEqual(['bash([[ x ]])'])
  expect(await always(`git commit -m "$(cat <<'E'\nfix\nE\n)"`)).toEqual(['bash(git commit -m fix)'])
})

test('a pattern rule for a program that is not known covers it word for word only', async () => {
  const bench = prepared({ allow: bash('frobnicate*', 'zap x') })
  const [asked, fine] = [['frobnicate', 'frobnicate a.txt', 'zap x y'], ['zap x']]
  expect(await verdicts(bench, [...asked, ...fine])).toEqual({ ...each(asked, 'ask'), ...each(fine, 'run') })
})

test('a pattern covers an option that runs or writes when it has that option', async () => {
  const bench = prepared({
    allow: bash(
      'sed -i *',
      'sort -o out.txt *',
      'python3 -m pytest*',
      'npx vitest *',
      './scripts/*',
      'git -C sub log*',
    ),
  })
  const fine = [
    'sed -i s/x/y/ a.txt',
    'sort -o out.txt a.txt',
    'python3 -m pytest -q',
    'npx vitest run src',
    './scripts/build.sh --fast',
    'git -C sub log -5',
  ]
  expect(await verdicts(bench, fine)).toEqual(each(fine, 'run'))
  const asked = [
    'sed -n -i p a.txt',
    'sort -o x a.txt',
    'python3 -m pytest-evil',
    'python3 -m pip install x',
    'npx vitest-evil',
    './scripts/../evil.sh',
    'git -C deep log',
    "sed -i 's/x/y/w f' a.txt",
    'sort -o out.txt -o .env',
  ]
  expect(await verdicts(bench, asked)).toEqual(each(asked, 'ask'))
})

test('deny sees through what stands before a command, and where it cannot, the command is asked for', async () => {
  const bench = prepared({ allow: ['bash'], deny: bash('rm*', 'git push*') })
  const denied = [
    'rm x',
    'A=1 rm x',
    'env rm x',
    'env -u Z rm y',
    'env A=1 nice rm x',
    'git -c a=b push',
    'git -C sub push',
    'git --no-pager push',
    "bash -ic 'rm x'",
    "bash --norc -c 'rm x'",
    "sh -c 'rm x'",
    'taskset 1 rm x',
    'sudo -u x rm y',
    'timeout 1 rm x',
    '/bin/rm x',
    '"rm" x',
    "r''m x",
    'find . -exec rm {} +',
    'find . -exec git push {} +',
    'ls | xargs rm',
    'echo $(rm x)',
    'for f in a; do rm $f; done',
    "bash -c 'rm x'",
    'ls; rm x',
    'command rm x',
    '2>/dev/null rm x',
  ]
  expect(await verdicts(bench, denied)).toEqual(each(denied, 'refuse'))
  const unclear = [
    "env -S'rm x'",
    'r\\\nm x',
    "trap 'rm x' EXIT",
    'a=rm; $a x',
    '$(echo rm) x',
    'unheard rm x',
    "python3 -c 'x'",
    'echo rm x | sh',
    'bash <<< "rm x"',
    '{rm,x}',
    "perl -e 'x'",
    'eval rm x',
    '[[ x ]]',
  ]
  expect(Object.entries(await verdicts(bench, unclear)).filter(([, verdict]) => verdict === 'run')).toEqual([])
  const fine = ['make', 'ls -l', 'git log', 'npm test', 'echo rm x']
  expect(await verdicts(bench, fine)).toEqual(each(fine, 'run'))
})

test('a rule about files holds for whatever reads or writes them', async () => {
  const bench = prepared({
    allow: ['bash'],
    deny: ['read_file(secret/**)', 'write_file(sub/**)'],
    ask: ['read_file(b.txt)'],
  })
  const denied = [
    'cat secret/x',
    'cat s*t/x',
    'cd secret && cat x',
    'grep x secret/x',
    'cp secret/x c',
    'cp a.txt sub/f',
    'tee sub/f',
    'mv a.txt sub',
    'unheard secret/x',
    'git show HEAD:secret/x',
    'cat < secret/x',
    'echo x > sub/f',
    'cat way/../secret/x',
    'rm sub/f',
    'cp -t sub a.txt',
    'dd of=sub/f',
  ]
  expect(await verdicts(bench, denied)).toEqual(each(denied, 'refuse'))
  const unclear = ['cat b.txt', 'grep -r x .', 'rg x', 'cat "$x"', '[[ x ]]', 'tar cf x.tar .']
  expect(await verdicts(bench, unclear)).toEqual(each(unclear, 'ask'))
  const fine = ['cat a.txt', 'ls', 'make', 'cat sub/f', 'echo "$x"']
  expect(await verdicts(bench, fine)).toEqual(each(fine, 'run'))
  expect((await bench.judge('grep', { pattern: 'x', path: 'secret' })).verdict).toBe('refuse')
  expect((await bench.judge('list_dir', { path: 'secret' })).verdict).toBe('refuse')
  expect((await bench.judge('edit_file', { path: 'secret/x', old_string: 'x', new_string: 'y' })).verdict).toBe(
    'refuse',
  )
  expect((await bench.judge('edit_file', { path: 'sub/f', old_string: 'x', new_string: 'y' })).verdict).toBe('refuse')
})

test('a command is allowed outside the workspace only where a rule says', async () => {
  const bench = prepared({ allow: bash('cat /etc/*', 'ls*') })
  const asked = ['cat /etc/../usr/x', 'cat /etc/hostname ../private.txt', 'cat /etc/hostname up/x', 'ls /etc']
  expect(await verdicts(bench, ['cat /etc/hostname', ...asked])).toEqual({
    'cat /etc/hostname': 'run',
    ...each(asked, 'ask'),
  })
})

test('what is not understood is asked for with the place where the reading ended', async () => {
  expect(await prepared({}).judge('bash', { command: 'ls ) && git status --short' })).toMatchObject({
    because: 'it has a part that belongs to no command: ") && git sta"',
  })
})
