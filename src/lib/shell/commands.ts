import { parse } from './parse.ts'
import { type Understanding, understand } from './understand.ts'
import { executed, unwrap } from './unwrap.ts'
import { literal, programName, type Word } from './words.ts'

/** One program that may be started, with everything a rule has to know about it. */
export interface SimpleCommand extends Understanding {
  /** Program and arguments; wrappers that change nothing are taken off. */
  readonly words: readonly Word[]
  /** The words as rules know them, with one space between them. */
  readonly text: string
  /** How far the text goes that has to be in a rule, where the command does more than its name says. */
  readonly named: number
  /** The command as it was written, with its variables and wrappers. */
  readonly whole: string
  /** The folders in which it may run, as real paths. */
  readonly folders: readonly string[]
  /** Other commands that it runs or is: what denies them denies this one. */
  readonly also: readonly string[]
  /** Commands that it may run, by the look of its words; true when it may run anything. */
  readonly mayRun: readonly string[] | true
  /** A path may lead elsewhere by the time it runs. */
  readonly moved: boolean
}

/** A word as it was written, and the words that bash makes of it. */
interface Token {
  readonly text: string
  readonly words: readonly Word[]
  readonly pattern: boolean
}

export interface CommandParts {
  readonly tokens: readonly Token[]
  readonly variables: readonly { name: string; value: string; text: string }[]
  readonly folders: readonly string[]
}

/** Values with which a variable changes no more than language, colours and the like. */
const harmless: Record<string, RegExp> = {
  CI: /^(1|0|true|false)$/,
  NO_COLOR: /^\w*$/,
  FORCE_COLOR: /^\d?$/,
  CLICOLOR: /^[01]$/,
  LANG: /^[\w.@-]*$/,
  TZ: /^[A-Z]\w*(\/\w+)*([+-]\d+)?$/,
  TERM: /^(dumb|xterm|xterm-256color|vt100)$/,
  COLUMNS: /^\d+$/,
  NODE_ENV: /^(test|development|production)$/,
  RUST_BACKTRACE: /^(0|1|full)$/,
  PYTHONUNBUFFERED: /^1?$/,
  PYTHONDONTWRITEBYTECODE: /^1?$/,
  CGO_ENABLED: /^[01]$/,
  PAGER: /^cat$/,
  GIT_PAGER: /^cat$/,
  GIT_TERMINAL_PROMPT: /^0$/,
  GIT_EDITOR: /^(true|:)$/,
  GIT_SEQUENCE_EDITOR: /^(true|:)$/,
}

const isHarmless = ({ name, value }: { name: string; value: string }): boolean => {
  if (/^LC_[A-Z]+$/.test(name)) return /^[\w.@-]*$/.test(value)
  return Object.hasOwn(harmless, name) && harmless[name]!.test(value)
}

/** What a command is, seen through what only wraps it. `script` reads a text that is handed to bash. */
export function seeThrough(
  given: CommandParts,
  whole = wholeOf(given),
): SimpleCommand | { script: string; whole: string } {
  const words = given.tokens.flatMap((token) => token.words)
  const wrapped = unwrap(words)
  const set = given.variables.filter((variable) => !isHarmless(variable))
  if (set.length === 0 && wrapped?.runs === 'script') return { script: wrapped.source, whole }
  if (set.length === 0 && wrapped?.runs === 'same') {
    const inner = dropped(given, wrapped.from, programName(words[0]) === 'git')
    if (inner !== undefined) return seeThrough(inner, whole)
  }
  const understood = understand(words)
  const runs = runsOf(words)
  const text = given.tokens.map((token) => token.text).join(' ')
  const why =
    set.length > 0
      ? 'it sets a variable for the program'
      : wrapped && 'why' in wrapped
        ? wrapped.why
        : editorOf(understood, given)
  const hazard = why === undefined ? understood.hazard : { at: Number.POSITIVE_INFINITY, why }
  return {
    ...understood,
    ...(hazard ? { hazard } : {}),
    words,
    text: set.length > 0 ? whole : text,
    named: hazard === undefined ? 0 : endOf(given.tokens, hazard.at),
    whole,
    folders: given.folders,
    also: [...new Set([whole, text, textsOf(words), ...(runs ?? []), ...bare(words)])],
    mayRun: runs === undefined || wrapped?.runs === 'unknown' || runsAnything(given, words) || mayRun(whole, hazard),
    moved: false,
  }
}

/** Nobody sits before the editor that a command opens. */
const editorOf = ({ editor }: Understanding, { variables }: CommandParts): string | undefined =>
  editor === undefined || variables.some(({ name }) => name === 'GIT_EDITOR')
    ? undefined
    : `it opens an editor, and nobody sits before it: ${editor}`

const wholeOf = ({ tokens, variables }: CommandParts): string =>
  [...variables.map(({ text }) => text), ...tokens.map(({ text }) => text)].join(' ')

/** The tokens from a word on; undefined when that word is not the beginning of a token. */
function dropped(given: CommandParts, from: number, git: boolean): CommandParts | undefined {
  let words = 0
  for (const [at, token] of given.tokens.entries()) {
    if (words === from) return { ...given, tokens: [...given.tokens.slice(0, git ? 1 : 0), ...given.tokens.slice(at)] }
    words += token.words.length
  }
  return undefined
}

/** Where the token with this word ends in the text of the command. */
function endOf(tokens: readonly Token[], word: number): number {
  let words = 0
  let end = -1
  for (const token of tokens) {
    words += token.words.length
    end += token.text.length + 1
    if (words > word) return end
  }
  return Number.POSITIVE_INFINITY
}

const RUNS = 200
const textsOf = (words: readonly Word[]): string => words.map(({ text }) => text).join(' ')

/** The commands that a command surely runs, by their words; undefined when there are too many to tell. */
function runsOf(words: readonly Word[]): string[] | undefined {
  const found = new Set<string>()
  const ahead = [words]
  for (let each = ahead.pop(); each !== undefined; each = ahead.pop()) {
    for (const inner of innerOf(each)) {
      const text = textsOf(inner)
      if (found.has(text)) continue
      if (found.size >= RUNS) return undefined
      for (const one of [text, ...bare(inner)]) found.add(one)
      ahead.push(inner)
    }
  }
  return [...found]
}

function innerOf(words: readonly Word[]): (readonly Word[])[] {
  const wrapped = unwrap(words)
  const inner = executed(words).map(({ from, to }) => words.slice(from, to))
  if (wrapped && 'from' in wrapped) {
    const rest = words.slice(wrapped.from)
    inner.push(rest, ...(wrapped.runs === 'other' ? tails(rest) : []))
  }
  // Options before a subcommand: `git -c a=b push` is a push too.
  if (/^-/.test(words[1]?.text ?? '')) inner.push(...tails(words.slice(1)).map((rest) => [words[0]!, ...rest]))
  const scripts = words.flatMap(({ text }, at) =>
    at > 0 && /^-\w*c$/.test(words[at - 1]!.text) ? commandsIn(text) : [],
  )
  return [...inner, ...scripts]
}

/** The commands of a text that another shell reads, as far as we can read it. */
function commandsIn(source: string): Word[][] {
  try {
    return parse(source).flatMap((statement) =>
      statement.kind === 'simple' ? [statement.words.map((word) => literal(word.source))] : [],
    )
  } catch {
    return []
  }
}

const TAILS = 12

const tails = (words: readonly Word[]): Word[][] => words.slice(1, TAILS).map((_, at) => words.slice(at + 1))

/** A program without its folder. */
function bare(words: readonly Word[]): string[] {
  const name = programName(words[0])
  return name === undefined || name === words[0]?.text
    ? []
    : [[name, ...words.slice(1).map(({ text }) => text)].join(' ')]
}

/** Which program runs is decided by a text that is not a command. */
function runsAnything({ variables }: CommandParts, words: readonly Word[]): boolean {
  const name = programName(words[0])
  if (name === undefined || (name === 'env' && /^-/.test(words[1]?.text ?? ''))) return true
  if (name !== 'git') return false
  return (
    variables.some((variable) => variable.name.startsWith('GIT_CONFIG')) ||
    words.some(
      ({ text }, at) => /^--config-env/.test(text) || (words[at - 1]?.text === '-c' && /^(alias|include)/i.test(text)),
    )
  )
}

const STARTS = 1000

/** A command that does more than its name says may run whatever is named anywhere in it. */
function mayRun(whole: string, hazard: Understanding['hazard']): readonly string[] | true {
  if (hazard === undefined) return []
  const starts = [...whole.matchAll(/(?<![\w./-])[\w./-]|(?<=(?<![\w./-])-\w)\w/g)].slice(1, STARTS + 2)
  return starts.length > STARTS || starts.map(({ index }) => whole.slice(index))
}
