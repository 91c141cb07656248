import { git } from './git-commands.ts'
import type { Program } from './program.ts'
import { awkScript, jqScript, makeVariable, sedScript, testForm } from './scripts.ts'
import type { Word } from './words.ts'

const text: Program = { operands: 'text' }
const reads = (options = ''): Program => ({ options, operands: 'read' })
const writes = (options = ''): Program => ({ options, operands: 'write' })

/** Runs code of the project, which nobody can foresee; what is known is which options make it run other code. */
const runs = (options: string, more: Program = {}): Program => ({ options, operands: 'write', steady: true, ...more })

const all = (names: string, program: Program): Record<string, Program> =>
  Object.fromEntries(names.split(' ').map((name) => [name, program]))

const npmOptions =
  '--prefix!! C!! --script-shell!! --shell!! --userconfig!! --globalconfig!! --node-options!! --git!! --editor!! --browser!! --viewer!! --call!! c!! --registry!! --python!! --node-gyp!! --init-module!! --global! g! --location!! --cache!! --workspace: w: --omit: --include: --tag: --loglevel:'
const npmCommands =
  'run run-script test t tst start stop restart install i ci add ls list outdated audit view info show pack prune dedupe explain why ping fund uninstall remove rm update up install-test it rebuild'

const cargoOptions =
  '--config!! --manifest-path!! C!! Z!! --target-dir!! --artifact-dir!! --out-dir!! --lockfile-path!! --package: p: --features: F: --target: --bin: --example: --test: --bench: --profile: --jobs: j: --color: --exclude: --message-format:'

const goOptions =
  '-exec!! -toolexec!! -overlay!! -modfile!! -modcacherw -o!! -C!! -pkgdir!! -ldflags!! -gccgoflags!! -vettool!! -w! -u! -fix! -coverprofile> -cpuprofile> -memprofile> -blockprofile> -mutexprofile> -trace> -outputdir> -fuzzcachedir> -run: -bench: -benchtime: -count: -timeout: -tags: -p: -parallel: -mod: -v -race -cover -covermode: -coverpkg: -short -json -f: -m -list: -cpu: -shuffle: -skip: -fuzz: -fuzztime: -gcflags: -asmflags: -compiler: -buildmode: -installsuffix:'

export const programs: Readonly<Record<string, Program>> = {
  // They print or wait.
  ...all(
    'echo true false : pwd exit sleep seq whoami id uname basename dirname nproc arch uptime free groups yes expr tr',
    text,
  ),
  ...all('which type printenv', text),
  printf: { options: 'v!!', operands: 'text' },
  date: { options: 's!! f< r< d: I= --set!! --file< --reference< --date:', operands: 'text' },
  hostname: { operands: 'none' },
  cd: { operands: 'read' },
  ...all('set command', text),
  test: { operands: 'read', check: testForm },
  '[': { operands: 'read', check: testForm },

  // They read files.
  ...all('cat tac nl rev zcat comm tsort realpath readlink', reads()),
  ...all('head tail', reads('n: c: s: --lines: --bytes: --pid: --sleep-interval:')),
  ls: reads('I: w: T: --ignore: --hide: --color= --format: --sort: --time: --width: --time-style: --block-size:'),
  wc: reads('--files0-from!!'),
  less: reads('o!! O!! k!! T!! t!! p: x: --log-file!! --LOG-FILE!! --lesskey-file!! --tag-file!!'),
  sort: reads(
    'o!! T!! k: t: S: --output!! --temporary-directory!! --compress-program!! --files0-from!! --key: --field-separator: --buffer-size: --batch-size: --parallel: --random-source<',
  ),
  shuf: reads('o!! n: i: --output!! --random-source< --head-count: --input-range:'),
  uniq: {
    options: 'f: s: w: --skip-fields: --skip-chars: --check-chars: --group= --all-repeated=',
    operands: 'single',
  },
  xxd: { options: 'c: g: l: o: s: n: R:', operands: 'single', ends: true },
  od: reads('A: j: N: t: w= S: --address-radix: --skip-bytes: --read-bytes: --format: --width= --strings='),
  hexdump: reads('e: n: s: f<'),
  strings: reads('n: t: e: --bytes: --radix: --encoding:'),
  file: reads('f!! m< P: C! z! Z! --files-from!! --magic-file< --compile! --uncompress!'),
  stat: reads('c: --format: --printf:'),
  ...all('md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum', reads('c! --check!')),
  cut: reads('d: f: c: b: --delimiter: --fields: --characters: --bytes: --output-delimiter:'),
  paste: reads('d: --delimiters:'),
  join: reads('t: 1: 2: j: a: v: o: e:'),
  ...all('expand unexpand', reads('t: --tabs:')),
  ...all('fold fmt', reads('w: --width:')),
  column: reads('s: o: c: N: --separator: --output-separator: --table-columns:'),
  diff: reads(
    'r! l! U: C: W: I: x: X< F: --recursive! --paginate! --unified= --context= --label: --exclude: --exclude-from< --to-file< --from-file< --ignore-matching-lines: --color=',
  ),
  cmp: reads('n: i: --bytes: --ignore-initial:'),
  df: reads('t: x: B: --output= --type: --exclude-type: --block-size:'),
  du: {
    options:
      'd: t: B: X< L! D! H! --max-depth: --files0-from!! --dereference! --dereference-args! --exclude: --exclude-from< --block-size: --threshold:',
    operands: 'read',
    deep: true,
    here: true,
  },
  tree: {
    options: 'o!! L: P: I: R! l! --fromfile! --filelimit: --charset: --output!!',
    operands: 'read',
    deep: true,
    here: true,
  },
  find: {
    options:
      '-exec!! -execdir!! -ok!! -okdir!! -delete! -fprint!! -fprint0!! -fprintf!! -fls!! -L! -H! -follow! -files0-from!! -name: -iname: -path: -ipath: -wholename: -iwholename: -regex: -iregex: -type: -xtype: -maxdepth: -mindepth: -size: -mtime: -mmin: -atime: -amin: -ctime: -cmin: -newermt: -newerat: -newerct: -newer< -anewer< -cnewer< -samefile< -printf: -perm: -user: -group: -links: -inum: -regextype: -fstype: -lname: -ilname: -uid: -gid: -used:',
    words: true,
    operands: 'read',
    deep: true,
    here: true,
  },
  ...all('grep egrep fgrep', {
    options:
      'e: m: A: B: C: d: D: f< R! --regexp: --max-count: --after-context: --before-context: --context: --file< --include: --exclude: --exclude-from< --exclude-dir: --color= --colour= --label: --binary-files: --devices: --directories: --dereference-recursive!',
    operands: 'pattern',
    deep: ['r', '--recursive', 'd', '--directories'],
    here: true,
  }),
  rg: {
    options:
      'e: f< g: t: T: A: B: C: m: M: j: d: r: E: z! L! --pre!! --pre-glob: --hostname-bin!! --search-zip! --follow! --regexp: --file< --files --files-with-matches --files-without-match --glob: --iglob: --type: --type-not: --type-add: --type-clear: --type-list --max-count: --max-depth: --after-context: --before-context: --context: --replace: --sort: --sortr: --color: --colors: --encoding: --ignore-file< --path-separator: --max-filesize: --max-columns: --threads: --hyperlink-format: --engine: --context-separator:',
    operands: 'pattern',
    deep: true,
    here: true,
  },
  ...all('fd fdfind', {
    options:
      'x!! X!! e: E: t: d: c: j: S: C!! l! L! --exec!! --exec-batch!! --list-details! --follow! --extension: --exclude: --type: --max-depth: --min-depth: --color: --threads: --size: --search-path< --base-directory!! --ignore-file< --changed-within: --changed-before:',
    operands: 'pattern',
    deep: true,
    here: true,
  }),
  jq: {
    options:
      'f< L!! --from-file< --slurpfile!! --rawfile!! --library-path!! --arg: --argjson: --indent: --tab --args --jsonargs',
    operands: 'pattern',
    check: jqScript,
  },
  sed: {
    options: 'e: f!! i! l: --expression: --file!! --in-place! --line-length: --follow-symlinks!',
    operands: 'pattern',
    check: sedScript,
  },
  ...all('awk gawk mawk nawk', {
    options:
      'F: v: f!! i!! l!! E!! d! D! o! p! --file!! --exec!! --include!! --load!! --source!! --field-separator: --assign:',
    closed: true,
    operands: 'pattern',
    check: awkScript,
  }),

  // They write the files that they are given.
  ...all('mkdir rmdir rm tee truncate', writes('m: s: r< --mode: --context= --size: --reference<')),
  touch: writes('d: t: r< --date: --time: --reference<'),
  cp: {
    options:
      't> S: L! H! --target-directory> --suffix: --backup= --sparse: --reflink= --preserve= --no-preserve: --dereference! --context=',
    operands: 'last',
    deep: true,
    plants: ['r', 'R', 'a', 'd', 'P', '--recursive', '--archive', '--no-dereference', '--preserve'],
  },
  mv: {
    options: 't> S: --target-directory> --suffix: --backup=',
    operands: 'write',
    into: true,
    deep: true,
    plants: true,
  },
  ln: { options: 't> S: --target-directory> --suffix: --backup=', operands: 'write', into: true, plants: true },
  ...all('chmod chown chgrp', { options: '--reference< --from: L! H!', operands: 'mode', deep: ['R', '--recursive'] }),
  ...all('gzip gunzip bzip2 bunzip2 xz unxz', writes('S: T: --suffix: --threads: --files!! --files0!!')),
  unzip: { options: 'd> x: P:', operands: 'write', plants: true },
  zip: {
    options: 'T! r! b> O> i: x: --test! --unzip-command!! --recurse-paths! --output-file> --temp-path>',
    operands: 'write',
  },
  dd: { operands: 'write' },

  // They reach the network.
  curl: {
    options:
      's S L f i I v k G g 4 6 # X: H: A: e: m: u: d@ F@ --silent --show-error --location --fail --fail-with-body --include --head --verbose --insecure --get --globoff --compressed --request: --header: --user-agent: --referer: --max-time: --connect-timeout: --retry: --retry-delay: --retry-all-errors --user: --data@ --data-raw: --data-binary@ --data-urlencode@ --json@ --form@ --url: --http1.1 --http2 --no-progress-meter --progress-bar --max-redirs: --range: r: --ipv4 --ipv6 --oauth2-bearer: --version --help',
    closed: true,
    operands: 'text',
    check: (words) => wordLike(words, /^file:|^[{[].*:\/\//i, 'may read a file of this machine'),
  },
  wget: {
    options:
      'q n v c S t: T: O> P> U: d --quiet --no-verbose --verbose --continue --spider --tries: --timeout: --header: --user-agent: --output-document> --directory-prefix> --no-check-certificate --show-progress --progress: --server-response --max-redirect: --version --help',
    closed: true,
    operands: 'text',
    check: (words) => wordLike(words, /\/(\.|%2e)[^/]*$/i, 'may become a file that changes what agents may do'),
  },

  git,
  tar: {
    options:
      'c x t r u z j J v k p m O f> C> X< --create --extract --get --list --append --update --gzip --bzip2 --xz --zstd --verbose --keep-old-files --preserve-permissions --touch --to-stdout --file> --directory> --exclude: --exclude-from< --exclude-vcs --strip-components: --no-same-owner --auto-compress a',
    closed: true,
    operands: 'write',
    deep: true,
    plants: ['x', '--extract', '--get'],
    check: tarLetters,
  },

  // They run code of the project.
  npm: { commands: all(npmCommands, runs(npmOptions)), before: ['--silent', '-s'] },
  ...all('pnpm yarn bun', {
    commands: all(
      `${npmCommands} build lint format typecheck type-check dev check`,
      runs(`${npmOptions} --cwd!! --dir!! --filter:`),
    ),
  }),
  npx: runs('c!! p!! --call!! --package!! --prefix!!', {
    ends: true,
    check: (words) => (words.length > 1 ? { at: 1, why: 'fetches and runs any program' } : undefined),
  }),
  ...all(
    'make gmake',
    runs(
      'C!! f< I< E!! j: l: o: W: --directory!! --eval!! --file< --makefile< --include-dir< --jobs: --load-average:',
      { check: makeVariable },
    ),
  ),
  cmake: runs(
    'B> S< G: D: A: T: E!! P!! C!! --build> --install!! --open!! --toolchain!! --target: --config: --parallel: j: --preset:',
  ),
  ninja: runs('C> f< j: l: k: d: t!! w:'),
  cargo: {
    commands: all(
      'build b check c test t run r clippy fmt doc clean bench tree update fetch metadata version',
      runs(cargoOptions),
    ),
    before: ['-q', '-v', '--quiet', '--verbose', '--offline', '--locked', '--frozen'],
  },
  go: {
    commands: {
      ...all('build test vet fmt list mod env version doc get generate clean work', runs(goOptions, { words: true })),
    },
  },
  node: runs(
    '--test --watch --check --version e!! p!! r!! i! C!! --eval!! --print!! --require!! --import!! --loader!! --experimental-loader!! --env-file!! --env-file-if-exists!! --interactive! --inspect! --inspect-brk! --conditions!! --openssl-config!! --snapshot-blob!! --build-snapshot! --run!! --experimental-config-file!! --experimental-default-config-file! --cpu-prof! --heap-prof! --report-on-signal! --diagnostic-dir!! --redirect-warnings!! --test-reporter!! --test-reporter-destination!! --title: --test-name-pattern: --trace-event-file-pattern!!',
    { check: needsFile, ends: true },
  ),
  ...all('python python3', runs('c!! m!! i! W: X: --check-hash-based-pycs:', { check: needsFile, ends: true })),
  ...all('pip pip3', {
    commands: all(
      'install list show freeze check uninstall',
      runs(
        't!! r< c< e: i!! --target!! --prefix!! --root!! --index-url!! --extra-index-url!! --find-links!! f!! --config-settings!! --python!! --src!! --log!! --cache-dir!! --global-option!! --trusted-host!! --proxy!!',
      ),
    ),
  }),
  pytest: runs(
    'p!! c!! o!! k: m: n: W: r: --config-file!! --override-ini!! --pyargs! --rootdir!! --basetemp!! --junitxml> --junit-xml> --maxfail: --tb: --cov: --cov-report: --cov-config!! --durations: --import-mode: --color: --log-file!! --pdbcls!! --pastebin!!',
  ),
  ...all(
    'tsc vitest jest eslint prettier biome ruff black mypy',
    runs(
      'c!! f!! o> p< --config!! --plugin!! --parser!! --rulesdir!! --resolve-plugins-relative-to!! --format!! --formatter!! --output-file> --project< --globalSetup!! --setupFiles!! --reporter: --environment!! --runner!! --testRunner!! --transform!! --resolver!! --moduleLoader!! --root!! --rootDir!! --dir!! --build b --noEmit --outDir> --fix --write --check --python-executable!! --load-plugin!! --extend-config!! --browser!! --ui!',
    ),
  ),
  docker: {
    commands: {
      ...all('ps images logs inspect version info top stats port history events', {
        options: 'f: n: --format: --filter: --tail: --since: --until: --last:',
        operands: 'text',
      }),
    },
  },
}

/** `-` and nothing at all make an interpreter read its program from the input. */
function needsFile(words: readonly Word[]): { at: number; why: string } | undefined {
  const isTest = words.some(({ text }) => /^(--test|--version|-v|-V|--help|-h)$/.test(text))
  const file = words.findIndex(({ text }, at) => at > 0 && !text.startsWith('-'))
  return file > 0 || isTest ? undefined : { at: words.length - 1, why: 'reads its program from the input' }
}

/** `tar cIf`: letters without a dash are options too, and an archive of another machine is fetched by a program. */
function tarLetters(words: readonly Word[]): { at: number; why: string } | undefined {
  const first = words[1]
  if (first && !first.text.startsWith('-') && !/^[cxtruzjJvkpmOa]*f?$/.test(first.text))
    return { at: 1, why: 'are options of tar that are not known here' }
  return wordLike(words, /^[^/]*:/, 'names an archive of another machine')
}

function wordLike(words: readonly Word[], pattern: RegExp, why: string): { at: number; why: string } | undefined {
  const at = words.findIndex(({ text }, index) => index > 0 && pattern.test(text))
  return at < 0 ? undefined : { at, why }
}
