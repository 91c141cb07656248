// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is shell

import { expect, test } from 'vitest'
import { each, verdicts } from '../kit/judge.ts'
import { bash, prepared } from './class-bench.ts'

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
