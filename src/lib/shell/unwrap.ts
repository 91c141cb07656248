import { unknown, type Word } from './words.ts'

/** What a program does with the rest of its command line when its work is to run another one. */
type Wrapped =
  /** Runs these words as a command; with `plain` it changes nothing for them. */
  | { readonly runs: 'command'; readonly words: readonly Word[]; readonly plain: boolean; readonly folder?: Word }
  /** Hands this text to a shell. */
  | { readonly runs: 'script'; readonly source: string }
  /** Runs something that we cannot know. */
  | { readonly runs: 'unknown' }

/** Wrappers that change nothing but time and priority: options without a value, and with one. */
const plainWrappers: Record<string, { flags?: RegExp; valued?: RegExp; operands?: number }> = {
  command: { flags: /^-p$/ },
  builtin: {},
  exec: { flags: /^-[cl]+$/ },
  nohup: {},
  time: { flags: /^(-p|-v)$/ },
  setsid: { flags: /^-[wfc]+$/ },
  nice: { flags: /^(-n-?\d+|--adjustment=-?\d+|-\d+)$/, valued: /^-n$/ },
  ionice: { flags: /^-(c\d|n\d|t)$/, valued: /^-[cn]$/ },
  stdbuf: { flags: /^-[ioe][0L]$/, valued: /^-[ioe]$/ },
  timeout: { flags: /^(--foreground|--preserve-status|-v|--(kill-after|signal)=\w+)$/, valued: /^-[ks]$/, operands: 1 },
  xargs: { flags: /^(-[0rtx]+|--null|--no-run-if-empty|-[nPLs]\d+)$/, valued: /^-[nPLsIdE]$/ },
}

/** Wrappers that run another program in too many ways to follow. */
const opaqueWrappers = new Set(
  'sudo doas su runuser chroot unshare nsenter bwrap flock watch script parallel strace ltrace gdb valgrind busybox toybox ssh systemd-run at batch coproc trap source . expect screen tmux entr'.split(
    ' ',
  ),
)

const shells = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh', 'ash', 'rbash'])

export function unwrap(words: readonly Word[]): Wrapped | undefined {
  const name = programName(words[0])
  if (name === undefined) return undefined
  if (shells.has(name)) return shell(words)
  if (name === 'env') return env(words)
  if (name === 'git') return git(words)
  if (name === 'eval') return evaluated(words)
  if (opaqueWrappers.has(name)) return { runs: 'unknown' }
  const wrapper = Object.hasOwn(plainWrappers, name) ? plainWrappers[name] : undefined
  if (wrapper === undefined) return undefined
  if (name === 'command' && /^-[vV]+$/.test(words[1]?.text ?? '')) return undefined
  const inner = skipOptions(words, wrapper)
  if (inner === undefined) return words.length === 1 ? undefined : { runs: 'unknown' }
  return { runs: 'command', words: name === 'xargs' ? [...inner, unknown('…')] : inner, plain: true }
}

/** The commands inside `find … -exec … ;`. */
export function executed(words: readonly Word[]): (readonly Word[])[] {
  const found: Word[][] = []
  for (const [at, word] of words.entries()) {
    if (!/^-(exec|ok)(dir)?$/.test(word.text)) continue
    const rest = words.slice(at + 1)
    const end = rest.findIndex(({ text }) => text === ';' || text === '+')
    found.push(rest.slice(0, end < 0 ? rest.length : end).map((one) => (one.text.includes('{}') ? unknown('{}') : one)))
  }
  return found
}

export const programName = (word: Word | undefined): string | undefined =>
  word?.kind === 'literal' ? word.text.slice(word.text.lastIndexOf('/') + 1) : undefined

function skipOptions(
  words: readonly Word[],
  { flags, valued, operands = 0 }: (typeof plainWrappers)[string],
): readonly Word[] | undefined {
  let at = 1
  for (; at < words.length; at += 1) {
    const { text, kind } = words[at]!
    if (kind !== 'literal') return undefined
    if (text === '--') {
      at += 1
      break
    }
    if (valued?.test(text)) at += 1
    else if (text.startsWith('-') && !flags?.test(text)) return undefined
    else if (!text.startsWith('-')) break
  }
  const inner = words.slice(at + operands)
  return inner.length === 0 ? undefined : inner
}

function shell(words: readonly Word[]): Wrapped | undefined {
  const at = words.findIndex(({ text }, index) => index > 0 && !/^[-+]/.test(text))
  const options = words.slice(1, at < 0 ? words.length : at)
  if (!options.some(({ text }) => /^-\w*c/.test(text))) return undefined
  const script = words[at]
  if (script?.kind !== 'literal' || options.some(({ text }) => !/^-[celux]+$/.test(text))) return { runs: 'unknown' }
  return { runs: 'script', source: script.text }
}

/** `env` with variables or options changes what the program finds around it. */
function env(words: readonly Word[]): Wrapped | undefined {
  const at = words.findIndex(({ text, kind }, index) => index > 0 && (kind !== 'literal' || !/^-|=/.test(text)))
  if (at < 0) return words.length === 1 ? undefined : { runs: 'unknown' }
  if (words.slice(1, at).some(({ text }) => /^-(.*[SC]|-split|-chdir)/.test(text))) return { runs: 'unknown' }
  return { runs: 'command', words: words.slice(at), plain: at === 1 }
}

/** Takes off options before the subcommand: `-C` is followed, options that only tidy the output are dropped. */
function git(words: readonly Word[]): Wrapped | undefined {
  let at = 1
  let folder: Word | undefined
  for (; at < words.length; at += 1) {
    const { text } = words[at]!
    if (text === '-C' && folder === undefined) {
      folder = words[at + 1] ?? unknown('')
      at += 1
    } else if (!['--no-pager', '--no-optional-locks', '--literal-pathspecs', '-P'].includes(text)) break
  }
  if (at === 1) return undefined
  return { runs: 'command', words: [words[0]!, ...words.slice(at)], plain: true, ...(folder && { folder }) }
}

function evaluated(words: readonly Word[]): Wrapped {
  const rest = words.slice(1)
  if (rest.some(({ kind }) => kind !== 'literal')) return { runs: 'unknown' }
  return { runs: 'script', source: rest.map(({ text }) => text).join(' ') }
}
