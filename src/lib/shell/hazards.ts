import { programName } from './unwrap.ts'
import type { Word } from './words.ts'

/**
 * Options with which a harmless program runs another, writes a file or changes what follows. A rule such as "git log*"
 * does not cover them: only a rule with exactly the text of the command does.
 */
const options: Record<string, { long?: string[]; short?: RegExp; word?: RegExp }> = {
  rg: { long: ['--pre', '--hostname-bin', '--search-zip'], short: /^-[A-Za-z]*z/ },
  grep: { long: ['--decompress'], short: /^-\w*Z$/ },
  find: { word: /^-(exec|ok)(dir)?$|^-delete$|^-f(print0?|printf|ls)$/ },
  fd: { long: ['--exec', '--exec-batch'], short: /^-\w*[xX]/ },
  sort: { long: ['--output', '--compress-program', '--temporary-directory'], short: /^-\w*[oT]/ },
  tree: { long: ['--output'], short: /^-\w*o/ },
  tar: {
    long: [
      ...['--to-command', '--checkpoint-action', '--use-compress-program', '--rmt-command', '--rsh-command'],
      ...['--info-script', '--new-volume-script', '--absolute-names', '--directory'],
    ],
    short: /^-\w*[IFPC]/,
  },
  zip: { long: ['--unzip-command'], short: /^-\w*T/ },
  rsync: { long: ['--rsh', '--rsync-path'], short: /^-\w*e/ },
  split: { long: ['--filter'] },
  less: { short: /^-\w*[oOkT]/, word: /^\+/ },
  more: { word: /^\+/ },
  man: { long: ['--pager', '--preprocessor', '--html', '--browser'], short: /^-\w*[PHp]/ },
  date: { long: ['--set'], short: /^-\w*s/ },
  curl: { long: ['--config', '--output', '--output-dir', '--remote-name'], short: /^-\w*[KoO]/ },
  bat: { long: ['--pager'] },
  printf: { short: /^-v/ },
  hostname: { word: /^[^-]/ },
}

const gitOptions = {
  long: [
    ...['--output', '--output-directory', '--ext-diff', '--textconv', '--open-files-in-pager', '--exec-path'],
    ...['--upload-pack', '--receive-pack', '--exec', '--config', '--config-env', '--template', '--paginate'],
    ...['--git-dir', '--work-tree', '--namespace', '--super-prefix', '--attr-source', '--no-index', '--remote'],
    ...['--separate-git-dir', '--tool', '--extcmd', '--global', '--system', '--file', '--show-signature', '--gpg-sign'],
  ],
  short: /^-O/,
  word: /^(ext|fd)::/,
}

/** Subcommands that run programs or decide which programs others run; below, short options that do so. */
const gitPrograms =
  /^(bisect|submodule|filter-branch|difftool|mergetool|hook|daemon|instaweb|send-email|config|remote-.*|credential.*|for-each-repo|help|gui|citool)$/
const gitShort: Record<string, RegExp> = { clone: /^-[uc]/, rebase: /^-[xi]/, 'format-patch': /^-o/, archive: /^-o/ }

/** Builtins that change the environment in which everything after them runs. */
const builtins = new Set(
  'export declare typeset local readonly unset alias unalias shopt hash enable bind complete mapfile readarray read getopts umask ulimit source . trap'.split(
    ' ',
  ),
)

/** Programs whose argument may be a program of its own. */
const languages = new Set(['awk', 'gawk', 'mawk', 'nawk', 'perl', 'ed', 'ex', 'vi', 'vim', 'dc', 'bc', 'm4'])

export function hazardOf(words: readonly Word[]): string | undefined {
  const name = programName(words[0])
  if (name === undefined) return 'which program runs is known only when it runs'
  if (builtins.has(name)) return `${name} changes the environment of what follows`
  if (languages.has(name)) return `${name} runs a program given as text`
  if (name === 'sed') return sed(words)
  if (name === 'set') return set(words)
  if (name === 'git') return git(words)
  const risky = Object.hasOwn(options, name) ? options[name] : undefined
  const found = risky && words.slice(1).find((word) => isRisky(word, risky))
  return found && `${found.text} makes ${name} do more than its name says`
}

function isRisky({ text, kind, tilde }: Word, { long = [], short, word }: (typeof options)[string]): boolean {
  // A file may have a name like an option, and an expansion may become an option.
  if (kind === 'unknown') return true
  if (kind === 'pattern' && !tilde && /^[*?[]/.test(text)) return true
  if (word?.test(text)) return true
  if (!text.startsWith('--')) return short?.test(text) ?? false
  // Programs accept the beginning of a long option for the whole.
  const given = text.split('=', 1)[0]!
  return given.length > 2 && long.some((option) => option.startsWith(given))
}

function git(words: readonly Word[]): string | undefined {
  const [, subcommand, ...rest] = words
  if (subcommand === undefined) return undefined
  const short = Object.hasOwn(gitShort, subcommand.text) ? gitShort[subcommand.text] : undefined
  const found =
    subcommand.kind !== 'literal' || /^-./.test(subcommand.text) || gitPrograms.test(subcommand.text)
      ? subcommand
      : rest.find((word) => isRisky(word, gitOptions) || short?.test(word.text))
  return found && `${found.text} lets git run other programs or write elsewhere`
}

/** Only lines by number and plain substitutions are harmless: other scripts can write files or run programs. */
function sed(words: readonly Word[]): string | undefined {
  const script = words.slice(1).find(({ text }) => !text.startsWith('-'))
  const flags = words.slice(1).filter(({ text }) => text.startsWith('-'))
  const harmless =
    script?.kind === 'literal' &&
    flags.every(({ text }) => /^-(n|E|r|nE|En)$/.test(text)) &&
    /^(\d+|\$)?(,(\d+|\$))?[pdq]$|^s\/([^/\\\n]|\\[^\n])*\/([^/\\\n]|\\[^\n])*\/[gIip\d]*$/.test(script.text) &&
    !/\/[^/]*[ew][^/]*$/.test(script.text)
  return harmless ? undefined : 'sed can write files and run programs with this'
}

const set = (words: readonly Word[]): string | undefined =>
  words.length > 1 && words.slice(1).every(({ text }) => /^[-+][euxo]+$|^(pipefail|errexit|nounset|xtrace)$/.test(text))
    ? undefined
    : 'set changes the environment of what follows'
