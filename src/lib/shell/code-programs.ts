import type { Program, Seen, Wrong } from './program.ts'
import { cmakeVariable, makeVariable } from './scripts.ts'

/** Runs code of the project, which nobody can foresee; what is known is which options make it run other code. */
const runs = (options: string, more: Program = {}): Program => ({ options, operands: 'change', steady: true, ...more })

const all = (names: string, program: Program): Record<string, Program> =>
  Object.fromEntries(names.split(' ').map((name) => [name, program]))

const npmOptions =
  '--prefix!! C!! --script-shell!! --shell!! --userconfig!! --globalconfig!! --node-options!! --git!! --editor!! --browser!! --viewer!! --call!! c!! --registry!! --python!! --node-gyp!! --init-module!! --global! g! --location!! --cache!! --workspace: w: --omit: --include: --tag: --loglevel:'
const npmCommands =
  'run run-script test t tst start stop restart install i ci add ls list outdated audit view info show pack prune dedupe explain why ping uninstall remove rm update up install-test it rebuild'

const cargoOptions =
  '--config!! --open! --help! --manifest-path!! C!! Z!! --target-dir!! --artifact-dir!! --out-dir!! --lockfile-path!! --package: p: --features: F: --target: --bin: --example: --test: --bench: --profile: --jobs: j: --color: --exclude: --message-format:'

const goOptions =
  '-exec!! -toolexec!! -overlay!! -modfile!! -modcacherw -o!! -C!! -pkgdir!! -ldflags!! -gccgoflags!! -vettool!! -w! -u! -fix! -coverprofile> -cpuprofile> -memprofile> -blockprofile> -mutexprofile> -trace> -outputdir> -fuzzcachedir> -run: -bench: -benchtime: -count: -timeout: -tags: -p: -parallel: -mod: -v -race -cover -covermode: -coverpkg: -short -json -f: -m -list: -cpu: -shuffle: -skip: -fuzz: -fuzztime: -gcflags!! -asmflags!! -modcache! -cache! -fuzzcache! -compiler: -buildmode: -installsuffix:'

export const codePrograms: Readonly<Record<string, Program>> = {
  npm: {
    // With a package it opens a browser.
    commands: { ...all(npmCommands, runs(npmOptions)), fund: runs(npmOptions, { operands: 'none' }) },
    before: ['--silent', '-s'],
  },
  ...all('pnpm yarn bun', {
    commands: all(
      `${npmCommands} build lint format typecheck type-check dev check`,
      runs(`${npmOptions} --cwd!! --dir!! --filter:`),
    ),
  }),
  npx: runs('c!! p!! --call!! --package!! --prefix!!', {
    ends: true,
    check: ({ words }) => (words.length > 1 ? { at: 1, why: 'fetches and runs any program' } : undefined),
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
    { check: cmakeVariable },
  ),
  ninja: runs('C> f< j: l: k: d: t!! w:'),
  cargo: {
    commands: all(
      'build b check c test t run r clippy fmt doc clean bench tree update fetch metadata version add remove',
      runs(cargoOptions),
    ),
    before: ['-q', '-v', '--quiet', '--verbose', '--offline', '--locked', '--frozen'],
  },
  go: {
    commands: {
      ...all('build test vet fmt list mod env version doc get generate clean work', runs(goOptions, { words: true })),
      run: runs(goOptions, { words: true, ends: true, check: goPackage }),
    },
  },
  node: runs(
    '--test --watch --check --version e!! p!! r!! i! C!! --eval!! --print!! --require!! --import!! --loader!! --experimental-loader!! --env-file!! --env-file-if-exists!! --interactive! --inspect! --inspect-brk! --conditions!! --openssl-config!! --snapshot-blob!! --build-snapshot! --run!! --experimental-config-file!! --experimental-default-config-file! --cpu-prof! --heap-prof! --report-on-signal! --diagnostic-dir!! --redirect-warnings!! --test-reporter!! --test-reporter-destination!! --title: --test-name-pattern: --trace-event-file-pattern!! v h c --help --enable-source-maps --no-warnings --trace-warnings --trace-deprecation --no-deprecation --throw-deprecation --trace-uncaught --unhandled-rejections: --experimental-strip-types --experimental-transform-types --experimental-test-coverage --experimental-vm-modules --experimental-sqlite --test-only --test-concurrency: --test-timeout: --test-shard: --test-force-exit --test-update-snapshots --max-old-space-size= --stack-trace-limit= --stack-size= --expose-gc --preserve-symlinks --preserve-symlinks-main --input-type: --watch-path< --watch-preserve-output --zero-fill-buffers --frozen-intrinsics',
    { check: needsFile, ends: true, closed: true },
  ),
  ...all(
    'python python3',
    runs('c!! m!! i! W: X: b B d E h I O P q s S u v V x --check-hash-based-pycs: --version --help', {
      check: needsFile,
      ends: true,
      closed: true,
    }),
  ),
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
    { check: reportPlace },
  ),
  ...all(
    'tsc vitest jest eslint prettier biome ruff black mypy',
    runs(
      'c!! f!! o> p< --config!! --plugin!! --parser!! --rulesdir!! --resolve-plugins-relative-to!! --format!! --formatter!! --output-file> --project< --globalSetup!! --globalTeardown!! --setupFiles!! --setupFilesAfterEnv!! --testResultsProcessor!! --snapshotSerializers!! --reporters!! --filter!! --plugin-search-dir!! --reporter: --environment!! --runner!! --testRunner!! --transform!! --resolver!! --moduleLoader!! --root!! --rootDir!! --dir!! --build b --noEmit --outDir> --fix --write --check --python-executable!! --load-plugin!! --extend-config!! --browser!! --ui!',
    ),
  ),
  uv: {
    commands: {
      ...all(
        'sync lock add remove tree',
        runs(
          'q v U --quiet --verbose --frozen --locked --dev --no-dev --group: --extra: --all-extras --upgrade --offline',
          { closed: true },
        ),
      ),
      run: runs('', {
        closed: true,
        ends: true,
        check: ({ operands: [program] }) => program && { at: program.at, why: 'may be any program' },
      }),
    },
  },
  ...all('cc gcc g++ c++ clang clang++', runs('-o> -I< -L<', { words: true, check: compilerOptions })),
}

/** `-` and nothing at all make an interpreter read its program from the input. */
function needsFile({ words, operands, options }: Seen): Wrong | undefined {
  const isTest = words.some(({ text }) => /^(--test|--version|-v|-V|--help|-h)$/.test(text))
  const isText = options.some(({ name }) => /^-[mcep]$|^--(eval|print)$/.test(name))
  const isFile = isText || (operands[0] !== undefined && operands[0].word.text !== '-')
  return isFile || isTest ? undefined : { at: words.length - 1, why: 'reads its program from the input' }
}

/** A report may be written anywhere, and `@file` has more options. */
function reportPlace({ words, options }: Seen): Wrong | undefined {
  const isPlain = /^(term|term-missing|html|xml|json|lcov|annotate)?(:skip-covered)?$/
  const report = options.find(({ name, value }) => name.startsWith('--cov-r') && !isPlain.test(value?.text ?? ''))
  const at = report?.at ?? words.findIndex(({ text }) => text.startsWith('@'))
  return at < 0 ? undefined : { at, why: 'may write or read elsewhere' }
}

/** A package of another place would be fetched and run. */
function goPackage({ operands: [target] }: Seen): Wrong | undefined {
  const isHere = /^(\.{1,2}(\/|$)|[^@]+\.go$)/.test(target?.word.text ?? '.')
  return isHere ? undefined : { at: target?.at ?? 0, why: 'may be a program of another place' }
}

/** A compiler has options that load code, run programs and write files; only the plain ones are known. */
function compilerOptions({ words }: Seen): Wrong | undefined {
  const plain =
    /^(-([cSEgwvoIL]|O[0-3sgz]?|g\d|W[a-z-]+(=\d)?|std=[\w+]+|D\w+(=\w*)?|I(?!\/|.*\.\.)[\w./-]+|l[\w+-]+|fPIC|fpic|fsanitize=[\w,]+|M|MM|MMD|MD|MP|pthread|shared|static|m(32|64|arch=[\w-]+)|pedantic|-version)|[^-@].*)$/s
  const at = words.findIndex(({ text }, index) => index > 0 && !plain.test(text))
  return at < 0 ? undefined : { at, why: 'is an option of the compiler that is not known here' }
}
