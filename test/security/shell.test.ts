// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is shell

import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Bench, makeBench } from '../kit/judge.ts'

/** What is allowed; `M` stands for any program that is not. */
const rules = {
  allow: ['git status*', 'git log*', 'ls*', 'echo*', 'cat*', 'rg*'].map((pattern) => `bash(${pattern})`),
  deny: ['bash(rm*)'],
}

const hostile: Record<string, string[]> = {
  'another command after an allowed one': [
    ...['git status; M', 'git status && M', 'git status || M', 'git status | M', 'git status & M', 'git status\nM'],
    ...['git status |& M', '{ git status; M; }', '(git status; M)', '! M', 'if ls; then M; fi', 'ls;M', 'ls&&M'],
    ...['while M; do ls; done', 'for x in a; do M; done', 'case a in a) M;; esac', 'until M; do ls; done'],
    ...['ls \\\n; M', 'ls #\nM', 'time M', 'coproc M', 'true && M', 'cd . && M', '[ -f x ] || M', 'ls\t;\tM'],
  ],
  'a command inside a word': [
    ...['echo $(M)', 'echo `M`', 'cat <(M)', 'echo ${x:-$(M)}', 'ls "$(M)"', 'echo "a `M` b"', 'echo $(echo $(M))'],
    ...['cat <<EOF\n$(M)\nEOF', 'cat <<< "$(M)"', 'echo $((1 + $(M)))', 'echo > >(M)', 'ls ${x/y/$(M)}'],
    ...['echo "${x:-`M`}"', 'cat <<EOF\n`M`\nEOF', 'echo ${x@P}', 'echo ${x:=$(M)}', 'echo a{b,$(M)}'],
    ...['cat <<"EOF"\nx\nEOF\nM', 'cat <<EOF; M\nx\nEOF', 'cat <<EOF && M\nx\nEOF', 'cat <<-EOF\n\tx\n\tEOF\nM'],
  ],
  'a wrapper around the command': [
    ...['env M', 'command M', 'exec M', 'timeout 5 M', 'nohup M', 'xargs M < f', 'find . -exec M \\;', "sh -c 'M'"],
    ...['bash -lc M', 'nice M', 'nice -n 5 M', 'stdbuf -o0 M', 'setsid M', 'builtin command M', 'env -i M', 'eval M'],
    ...['env X=1 M', '/usr/bin/env M', 'eval "echo x; M"', 'bash -c "ls; M"', 'sh -c "sh -c M"', 'timeout -s KILL 5 M'],
    ...['sudo M', 'echo x | xargs M', 'echo M | sh', 'bash <<< M', 'find . -name x -execdir M {} +', 'env -S "M"'],
    ...["trap 'M' EXIT", '. ./M', 'source ./M', 'echo M > s; sh s', 'xargs -I{} M {}', 'flock f M', 'watch M'],
  ],
  'an environment that was prepared': [
    ...['X=1 git status', 'export PAGER=M; git log', 'GIT_PAGER=M git log', 'alias ls=M', 'ls() { M; }; ls'],
    ...['PATH=.:$PATH ls', 'PATH=. ; ls', 'declare -x PAGER=M; git log', 'read PATH < f; ls', 'hash -p ./M ls; ls'],
    ...['function ls { M; }; ls', 'BASH_ENV=./M bash -c ls', 'LD_PRELOAD=./m.so ls', 'shopt -s expand_aliases; ls'],
    ...['unset PATH; ls', 'set -a; ls', 'enable -n echo; echo', 'for PATH in .; do ls; done', '((PATH=0)); ls'],
    ...['printf -v PATH .; ls', 'mapfile PATH < f; ls', 'RIPGREP_CONFIG_PATH=f rg x', 'export -f ls; ls'],
  ],
  'an option that runs or writes': [
    ...['git -c core.pager=M log', 'git --exec-path=. status', 'git log --output=f', 'git log --ext-diff'],
    ...['rg --pre M x', 'rg --hostname-bin M', 'git log --outpu=f', 'git --git-dir=evil status', 'rg --pre=M x'],
    ...['git --config-env=core.pager=X log', 'git -p log', 'git log --textconv', 'rg -z x', 'rg --search-zip x'],
    ...['git --work-tree=/ status', 'git log -O$(M)', 'rg --hostname-bin=M --hyperlink-format x', 'rg x *'],
  ],
  'another folder': [
    ...[
      'cd sub && git push',
      'cd .. && cat f',
      'pushd .. && cat f',
      'git -C other push',
      'git -C sub status',
      'cd / && ls',
      'cd && ls',
    ],
    ...['cd - && ls', 'cd "$HOME" && ls', 'git -C .. status', 'while ls; do cat f; cd ..; done', 'cd sub/../.. && ls'],
    ...['cat ../f', 'cat /etc/passwd', 'ls ~', 'cat ~/x', 'cat $HOME/x', 'rg x ..', 'ls *(M)', 'cat ../*', 'cat link'],
  ],
  'what is denied, spelled otherwise': [
    ...['ls; rm x', 'r""m x', '\\rm x', "$'\\x72m' x", '"rm" x', 'a=rm; $a x', "'r'm x", '/bin/rm x', 'command rm x'],
    ...['env rm x', 'xargs rm < f', 'ls | xargs rm', 'sh -c "rm x"', 'find . -delete', '`echo rm` x', '$(echo rm) x'],
    ...['r\\\nm x', 'echo x | (rm x)', '{ rm x; }', 'time rm x', 'sudo rm x', 'exec rm x', '${x:-rm} x', '{rm,x}'],
    ...['eval rm x', 'busybox rm x', 'timeout 1 rm x', 'rm', 'r?m x', 'bash -c "$(echo rm x)"', 'rmdir x'],
  ],
  'a name that only begins alike': ['lsof', 'catdoc x', 'echoo', './ls', 'git logs-evil; M', 'rgx', '/tmp/ls', 'ls.sh'],
  'what cannot be parsed': [
    "echo 'x",
    'echo "x',
    'echo $(x',
    'if ls',
    'ls |',
    'echo \u00a0M',
    'ls\rM',
    'echo x\u0000',
    'ls )',
  ],
}

const benign = [
  ...['git status', 'git status -sb', 'git log --oneline -5', 'git log -p -- src', 'git log --format="%h %s"'],
  ...['ls', 'ls -la', 'ls -- -x', 'ls *.ts', 'ls src/*.md', 'echo hello', 'echo "a; b && c"', "echo 'x | y > z'"],
  ...['echo "it is $HOME"', 'cat a.txt', 'cat "a b.txt"', 'cat -- a.txt', 'rg TODO', 'rg "a|b" src', "rg 'x; y' ."],
  ...['cat a.txt | rg x | cat', 'git status && git log', 'git status; ls', 'ls || echo none', 'cat ünïcode.txt'],
  ...['cat <<EOF\nhello; M && x\nEOF', "cat <<'EOF'\n$(M)\nEOF", 'ls 2>/dev/null', 'ls 2>&1 | cat', 'echo x > out.txt'],
  ...['cd sub && ls', 'cd sub && git status', 'timeout 5 ls', 'git --no-pager log', 'true && ls'],
  ...[
    'echo a >> sub/log.txt',
    'cat < a.txt',
    '(ls; echo x)',
    'ls # M',
    'echo \\; M',
    'echo "$(git log)"',
    '[ -f a.txt ] && cat a.txt',
  ],
  ...[
    'if ls; then echo yes; else echo no; fi',
    'for f in a b; do echo $f; done',
    'echo a\\\n b',
    'bash -c "ls; echo x"',
  ],
]

function prepare(bench: Bench): { bin: string; marker: string } {
  const marker = join(bench.root, 'marker')
  const bin = join(bench.root, 'bin')
  mkdirSync(bin)
  for (const name of ['M', 'rm', 'lsof', 'catdoc', 'echoo', 'rgx', 'rmdir']) {
    writeFileSync(join(bin, name), `#!/bin/sh\n: > ${marker}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  for (const path of ['a.txt', 'a b.txt', 'ünïcode.txt', 'f', 'x', 'sub/b.txt', 'src/c.md', 'd.ts'])
    bench.put(path, 'x\n')
  spawnSync('ln', ['-s', '/etc/passwd', join(bench.workspace, 'link')])
  writeFileSync(join(bench.workspace, 'M'), `: > ${marker}\n`)
  spawnSync('git', ['init', '-q'], { cwd: bench.workspace })
  return { bin, marker }
}

test.each(Object.entries(hostile))('is not allowed: %s', async (_, commands) => {
  const bench = makeBench(rules)
  prepare(bench)
  const allowed: string[] = []
  for (const command of commands) if ((await bench.bash(command)) === 'run') allowed.push(command)
  expect(allowed).toEqual([])
})

test('what is denied is refused and not asked wherever its name can be read', async () => {
  const bench = makeBench({ ...rules, allow: ['bash'] })
  const readable = [
    'ls; rm x',
    'r""m x',
    '\\rm x',
    '"rm" x',
    '/bin/rm x',
    'env rm x',
    'sh -c "rm x"',
    'sudo rm x',
    'ls | xargs rm',
    'echo $(rm x)',
    'find . -exec rm {} \\;',
  ]
  for (const command of readable) expect([command, await bench.bash(command)]).toEqual([command, 'refuse'])
  for (const command of ['a=rm; $a x', "$'\\x72m' x", "echo 'x", '$(echo rm) x'])
    expect([command, await bench.bash(command)]).toEqual([command, 'ask'])
  expect(await bench.bash('make all')).toBe('run')
})

test('harmless commands are not asked about', async () => {
  const bench = makeBench(rules)
  prepare(bench)
  const asked: string[] = []
  for (const command of benign) if ((await bench.bash(command)) !== 'run') asked.push(command)
  expect(asked).toEqual([])
})

const terminal = spawnSync('script', ['--version']).status === 0
if (!terminal) console.warn('!!! `script` is not installed: the corpus is run without a terminal only')

/** The oracle: whatever is allowed is really run, and must not reach a program that is not. */
test.each([false, ...(terminal ? [true] : [])])(
  'nothing that is allowed runs another program (terminal: %s)',
  async (pty) => {
    const bench = makeBench(rules)
    const { bin, marker } = prepare(bench)
    const env = { PATH: `${bin}:${process.env.PATH}`, HOME: bench.root, TERM: 'xterm', GIT_CONFIG_NOSYSTEM: '1' }
    let run = 0
    for (const command of [...benign, ...Object.values(hostile).flat()]) {
      if ((await bench.bash(command)) !== 'run') continue
      const [program, ...args] = pty
        ? ['script', '-qec', `bash -c ${quote(command)}`, '/dev/null']
        : ['bash', '-c', command]
      spawnSync(program!, args, { cwd: bench.workspace, env, input: '', timeout: 10_000 })
      expect([command, existsSync(marker)]).toEqual([command, false])
      rmSync(marker, { force: true })
      run += 1
    }
    expect(run).toBeGreaterThanOrEqual(benign.length)
  },
)

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

test('a redirection is judged as a write to where it leads', async () => {
  const bench = makeBench({ ...rules, deny: ['write_file(secret/**)'] })
  bench.put('secret/x', '')
  expect(await bench.bash('echo x > out.txt')).toBe('run')
  expect(await bench.bash(`echo x > ${bench.outside}/y`)).toBe('ask')
  expect(await bench.bash('echo x >> ../y')).toBe('ask')
  expect(await bench.bash('echo x > secret/x')).toBe('refuse')
  expect(await bench.bash('ls 2> "$f"')).toBe('ask')
  expect(await bench.bash(`cat x > ${bench.home}/settings.json`)).toBe('refuse')
  expect(await bench.judge('bash', { command: 'echo x > .git/hooks/pre-commit' })).toMatchObject({
    verdict: 'ask',
    changesRights: true,
  })
})

test('a command with more parts than can be judged is asked about, and refused if one of them is denied', async () => {
  const bench = makeBench({ ...rules, allow: ['bash(echo*)'] })
  const many = Array.from({ length: 300 }, () => 'echo x').join(';')
  expect(await bench.bash(many)).toBe('ask')
  expect(await bench.bash(`rm x;${many}`)).toBe('refuse')
  expect(await bench.bash(`echo ${'x'.repeat(60_000)}`)).toBe('ask')
})

test('patterns that are slow elsewhere are fast here', async () => {
  const bench = makeBench({ allow: [`bash(${'*a'.repeat(300)}b)`], deny: [`bash(${'(a+)+'.repeat(50)}$)`] })
  expect(await bench.bash(`echo ${'a'.repeat(5000)}`)).toBe('ask')
})
