import type { Program, Seen, Wrong } from './program.ts'

/** Options with which any command of git runs programs or writes elsewhere. */
const common =
  '--output!> --output-directory!> --ext-diff! --textconv! --text --open-files-in-pager!! --exec-path!! --upload-pack!! --receive-pack!! --exec!! --config!! --config-env!! --template!! --no-index! --remote!! --separate-git-dir!! --tool!! --extcmd!! --show-signature! --gpg-sign! --git-dir!! --work-tree!! --pathspec-from-file< --format: --pretty= --author: --since: --until: --after: --before: --date: --grep: --unified= --stat= --diff-filter: --max-count: --abbrev= --color= --decorate= --sort: --word-diff= --ignore-submodules= --submodule= --message: --file< --branch: --depth: --untracked-files= --porcelain= --exclude: --source: --strategy!! --strategy-option: --mainline: --contains: --merged: --no-merged: --points-at: --column= --all --patch --stat-width: --interactive! --edit! --edit-todo! --verify-signatures! --signed! --merge --help!'

const shows = 'n: L: S: G: U: O< l: M= C= B= '
const reads = (options = ''): Program => ({
  options: `${common} ${options}`,
  operands: 'read',
  steady: true,
  check: signatures,
})
const writes = (options = ''): Program => ({ ...reads(options), operands: 'write' })
const moves = (options = ''): Program => ({ ...writes(options), plants: true, everywhere: 'write', deep: true })
const anywhere = { everywhere: 'read', deep: true } as const
const reaches = (program: Program): Program => ({ ...program, remote: true, check: transports })

/** A format with `%G?` makes git start the program that checks signatures. */
function signatures({ words }: Seen): Wrong | undefined {
  const at = words.findIndex(({ text }) => /%G|%\(signature/.test(text))
  return at < 0 ? undefined : { at, why: 'makes git run the program that checks signatures' }
}

/** Some addresses name a program. */
function transports({ words }: Seen): Wrong | undefined {
  const at = words.findIndex(({ text }) => /^[\w-]+::|^file:/i.test(text))
  return at < 0 ? undefined : { at, why: 'may be an address that runs a program' }
}

/** The message is there; what is given can be taken back by a later word. */
const isTold = ({ words, has }: Seen): boolean =>
  has(['m', 'F', '--message', '--file']) && !words.some(({ text }) => /^--no-(m|fi)/.test(text))

/** Merging, reverting and picking open an editor in a terminal only, where no command runs; committing does anywhere. */
function ofCommit(seen: Seen): string | undefined {
  const marks = seen.options.find(({ name }) => name.startsWith('--fi') && '--fixup'.startsWith(name))
  const isMarked = marks !== undefined && !/^(amend|reword):/.test(marks.value?.text ?? '')
  const isQuiet = seen.has(['C', '--reuse-message', '--no-edit', '--dry-run', '--short', '--porcelain', '--long'])
  return isTold(seen) || isMarked || isQuiet
    ? undefined
    : 'give the message with -m, or keep the one there is with --no-edit'
}

const ofContinued = ({ has }: Seen): string | undefined =>
  has(['--continue']) ? 'GIT_EDITOR=true in front of it keeps the message' : undefined

const all = (names: string, program: Program): Record<string, Program> =>
  Object.fromEntries(names.split(' ').map((name) => [name, program]))

/** A command of git that is not here runs programs, decides which programs others run, or is not well known. */
export const git: Program = {
  operands: 'text',
  before: ['--no-pager', '-P', '--no-optional-locks', '--literal-pathspecs'],
  commands: {
    '--version': { operands: 'none' },
    status: reads('u='),
    diff: { ...reads(shows), ...anywhere },
    ...all('log show whatchanged reflog diff-tree diff-index diff-files', reads(shows)),
    ...all(
      'rev-parse rev-list describe merge-base name-rev for-each-ref count-objects check-ignore ls-tree shortlog version show-ref symbolic-ref var cherry',
      reads('n: --default:'),
    ),
    blame: reads('L: S< M= C= --contents< --ignore-rev: --ignore-revs-file<'),
    'ls-files': reads('x: X< --exclude-from< --exclude-per-directory<'),
    'cat-file': reads('--filters! --path:'),
    grep: { ...reads('O!! e: f< m: A: B: C: --max-depth: --threads: --ext-grep! --and --or --not'), ...anywhere },
    branch: reads('u: --set-upstream-to: --edit-description!'),
    tag: {
      ...reads('s! v! u!! m: F< n= --sign! --verify! --local-user!! --cleanup:'),
      editor: (seen) => (seen.has(['a', '--annotate']) && !isTold(seen) ? 'give the message with -m' : undefined),
    },
    remote: {
      operands: 'none',
      before: ['-v', '--verbose'],
      commands: { show: reaches({ operands: 'text' }), 'get-url': { operands: 'text' } },
    },
    stash: moves('m: p! --patch!'),
    add: reads('e! i! p! --patch! --chmod:'),
    commit: {
      ...reads(
        'S! e! p! --patch! c!! C: m: F< t< --template< --fixup: --squash: --reuse-message: --reedit-message!! --cleanup: --trailer: --edit!',
      ),
      editor: ofCommit,
    },
    'ls-remote': reaches(reads('o: --sort:')),
    fetch: reaches(reads('o: j: --multiple! --refmap: --shallow-since: --negotiation-tip: --server-option:')),
    push: reaches(reads('o: --repo!! --push-option: --force-with-lease=')),
    ...all('checkout switch restore', moves('b: B: c: C: s: --orphan: --conflict: p! --patch!')),
    merge: { ...moves('s!! X: S! e! m: F< --into-name:'), editor: ofContinued },
    pull: reaches(moves('s!! X: S! e! j: --depth:')),
    rebase: { ...moves('s!! X: S! x!! i! --onto:'), editor: ofContinued },
    ...all('cherry-pick revert', { ...moves('X: S! e! m:'), editor: ofContinued }),
    ...all('reset clean', moves('e: p! --patch! i!')),
    rm: { ...writes(), deep: ['r'] },
    mv: { ...writes(), plants: true, deep: true, into: true },
    apply: moves('p: C: --directory> --unsafe-paths! --include: --whitespace: --build-fake-ancestor>'),
    init: moves('b: --initial-branch: --shared:'),
    clone: reaches(moves('u!! c!! o: b: j: --origin: --reference< --recurse-submodules! --shared --local')),
    submodule: { commands: all('status init update sync add summary', reaches(moves('b: j: --name: --reference<'))) },
    bisect: { commands: all('start good bad new old skip reset log', moves()) },
    worktree: moves('b: B: --reason: --expire:'),
    'format-patch': reads('o!> v: n: --start-number: --subject-prefix: --to: --cc: --stdout'),
    archive: reads('o!> --prefix: --add-file< --add-virtual-file:'),
  },
}
