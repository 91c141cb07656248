// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is shell

import { expect, test } from 'vitest'
import { each, verdicts } from '../kit/judge.ts'
import { bash, prepared } from './class-bench.ts'

/** Every class of disguise that was ever let through, with examples; `M` is any program that no rule names. */

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
