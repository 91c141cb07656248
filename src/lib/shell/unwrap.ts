import { programName, type Word } from './words.ts'

/** What a program does with the rest of its command line when its work is to run another one. */
type Wrapped =
  /** Runs these words as they are; a rule for them covers the whole. */
  | { readonly runs: 'same'; readonly from: number }
  /** Hands this text to bash. */
  | { readonly runs: 'script'; readonly source: string }
  /** Runs these words in another way: with other variables, in another folder, as another user. */
  | { readonly runs: 'other'; readonly from: number; readonly why: string }
  /** Runs a text or words that cannot be told. */
  | { readonly runs: 'unknown'; readonly why: string }

/** Wrappers that change nothing but time and priority: options without a value, and with one. */
const plain: Record<string, { flags?: RegExp; valued?: RegExp; operands?: number }> = {
  command: {},
  nohup: {},
  setsid: { flags: /^-[wfc]+$/ },
  nice: { flags: /^(-n-?\d+|--adjustment=-?\d+|-\d+)$/, valued: /^-n$/ },
  ionice: { flags: /^-(c\d|n\d|t)$/, valued: /^-[cn]$/ },
  stdbuf: { flags: /^-[ioe][0L]$/, valued: /^-[ioe]$/ },
  timeout: { flags: /^(--foreground|--preserve-status|-v|--(kill-after|signal)=\w+)$/, valued: /^-[ks]$/, operands: 1 },
}

/** Wrappers that run another program in too many ways to follow. */
const others = new Set(
  'sudo doas su runuser chroot unshare nsenter bwrap flock watch script parallel strace ltrace gdb valgrind busybox toybox ssh systemd-run expect screen tmux entr taskset chrt numactl prlimit setpriv setarch linux32 linux64 fakeroot proxychains unbuffer rlwrap xvfb-run dbus-run-session perf time pkexec start-stop-daemon daemonize catchsegv torsocks firejail capsh runcon newgrp sg'.split(
    ' ',
  ),
)

const shells = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh', 'ash', 'rbash', 'fish', 'tcsh', 'csh', 'mksh'])

/** Programs that run a text of another language: in it nobody can look for a program. */
const languages =
  /^(perl|python[\d.]*|ruby|node|nodejs|deno|bun|php|lua|tclsh|osascript|ex|vi|vim|nvim|emacs|m4|dc|bc)$/

/** Programs that run what they read. */
const readers = new Set(['ed', 'at', 'batch'])

export function unwrap(words: readonly Word[]): Wrapped | undefined {
  const name = programName(words[0])
  if (name === undefined) return undefined
  if (shells.has(name)) return shell(words, name)
  if (name === 'env') return env(words)
  if (name === 'xargs')
    return {
      runs: 'other',
      from: afterOptions(words, /^-[IELPnsda]$/) ?? 1,
      why: 'xargs adds words that are known only when it runs',
    }
  if (name === 'git') return gitFlags(words)
  if (others.has(name)) return { runs: 'other', from: 1, why: `${name} runs another command` }
  const isText = words.length === 1 || words.some(({ text }) => /^-\w*[ecrEp]|^-$|^eval$/.test(text))
  if (readers.has(name) || (languages.test(name) && isText))
    return { runs: 'unknown', why: `${name} runs a program given as text` }
  const wrapper = Object.hasOwn(plain, name) ? plain[name] : undefined
  if (wrapper === undefined || words.length === 1) return undefined
  if (name === 'command' && /^-[vV]+$/.test(words[1]?.text ?? '')) return undefined
  const from = skipOptions(words, wrapper)
  // A wrapper that is called by its path may be any program of that name.
  const isPlain = from !== undefined && words[0]?.text === name
  return isPlain ? { runs: 'same', from } : { runs: 'other', from: from ?? 1, why: `${name} runs another command` }
}

/** The commands inside `find … -exec … ;`, by the place of their first word and of their end. */
export function executed(words: readonly Word[]): { from: number; to: number }[] {
  return words.flatMap(({ text }, at) => {
    if (!/^-(exec|ok)(dir)?$|^(-x|-X|--exec|--exec-batch)$/.test(text) || at === words.length - 1) return []
    const end = words.findIndex((word, to) => to > at && (word.text === ';' || word.text === '+'))
    return [{ from: at + 1, to: end < 0 ? words.length : end }]
  })
}

function skipOptions(
  words: readonly Word[],
  { flags, valued, operands = 0 }: (typeof plain)[string],
): number | undefined {
  let at = 1
  for (; at < words.length; at += 1) {
    const { text, known } = words[at]!
    if (!known) return undefined
    if (valued?.test(text)) at += 1
    else if (text.startsWith('-') && !flags?.test(text)) return undefined
    else if (!text.startsWith('-')) break
  }
  if (operands > 0 && !/^\d+(\.\d+)?[smhd]?$/.test(words[at]?.text ?? '')) return undefined
  return at + operands < words.length ? at + operands : undefined
}

const afterOptions = (words: readonly Word[], valued: RegExp): number | undefined => {
  const at = words.findIndex(
    ({ text }, index) => index > 0 && !text.startsWith('-') && !valued.test(words[index - 1]!.text),
  )
  return at < 0 ? undefined : at
}

/** Only bash with `-c` and one text reads that text as we do. */
function shell(words: readonly Word[], name: string): Wrapped | undefined {
  const [, option, script] = words
  if (words[0]?.text === 'bash' && words.length === 3 && option?.text === '-c' && script?.known)
    return { runs: 'script', source: script.text }
  const isFile = option?.known === true && !/^[-+]/.test(option.text)
  return isFile ? undefined : { runs: 'unknown', why: `${name} runs a text that is not understood` }
}

/** `env` changes what the program finds around it. */
function env(words: readonly Word[]): Wrapped | undefined {
  const from = words.findIndex(({ text, known }, at) => at > 0 && (!known || !/^-|=/.test(text)))
  const split = words
    .slice(1, from < 0 ? undefined : from)
    .some(({ text }) => /^-(.*[SCu]|-split|-chdir|-unset)/.test(text))
  if (split) return { runs: 'other', from: Math.max(from, 1), why: 'env changes what runs' }
  return from < 0 ? undefined : { runs: 'other', from, why: 'env changes the variables' }
}

/** Options that only tidy the output are not part of what a rule is about. */
function gitFlags(words: readonly Word[]): Wrapped | undefined {
  const tidy = ['--no-pager', '-P', '--no-optional-locks', '--literal-pathspecs']
  const from = words.findIndex(({ text }, at) => at > 0 && !tidy.includes(text))
  return from > 1 ? { runs: 'same', from } : undefined
}
