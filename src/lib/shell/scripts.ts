import type { Word } from './words.ts'

/** Texts that a program runs as its own small language: only what can neither write nor run is let through. */

interface Wrong {
  readonly at: number
  readonly why: string
}

const REGEX = String.raw`(?:[^/\\\n]|\\[^\n])`
const address = String.raw`(?:\d+|\$|/${REGEX}+/I?)`
const sedCommand = new RegExp(
  String.raw`^\s*(?:${address}(?:\s*,\s*[+~]?${address})?\s*!?\s*)?(?:[pdDq=Pgxhn]|s(?:/${REGEX}*/${REGEX}*/|\|(?:[^|\\\n]|\\[^\n])*\|(?:[^|\\\n]|\\[^\n])*\||#(?:[^#\\\n]|\\[^\n])*#(?:[^#\\\n]|\\[^\n])*#|,(?:[^,\\\n]|\\[^\n])*,(?:[^,\\\n]|\\[^\n])*,)[gIip\d]*|)\s*$`,
)

/** The script is the first operand, or the value of each `-e`. */
export function sedScript(words: readonly Word[]): Wrong | undefined {
  const scripts = scriptsOf(words, /^(-\w*e|--expression)$/)
  const wrong = scripts.find(({ word }) => !isSed(word))
  return wrong && { at: wrong.at, why: 'can write files and run programs' }
}

/** A semicolon inside a pattern would cut a command in two, and then neither half is understood. */
const isSed = ({ text, known }: Word): boolean =>
  known && (sedCommand.test(text) || text.split(/[;\n]/).every((one) => sedCommand.test(one)))

export function awkScript(words: readonly Word[]): Wrong | undefined {
  const at = words.findIndex(({ text }, index) => index > 0 && !isAwkOption(words, index) && text !== '--')
  const word = words[at]
  if (word === undefined) return undefined
  const bare = word.text.replace(/"(?:\\.|[^"\\])*"/g, '""')
  const harmless = word.known && !/system|getline|ARG[VC]|ENVIRON|[|>@]/.test(bare)
  return harmless ? undefined : { at, why: 'can write files and run programs' }
}

const isAwkOption = (words: readonly Word[], at: number): boolean =>
  /^-./.test(words[at]!.text) || /^-[Fv]$/.test(words[at - 1]?.text ?? '')

/** jq can read other files by name, and nothing more. */
export function jqScript(words: readonly Word[]): Wrong | undefined {
  const at = words.findIndex(({ text }) => /\b(import|include)\b/.test(text))
  return at < 0 ? undefined : { at, why: 'can read other files' }
}

/** make takes variables as operands, and some of them are programs; `-` makes it read its rules from the input. */
export function makeVariable(words: readonly Word[]): Wrong | undefined {
  const isPlain = /^(?!SHELL|MAKE|\.)[A-Za-z_]+[?:]?=(\d*|yes|no|true|false|on|off|debug|release|test|dev|prod)$/i
  const isOdd = (text: string): boolean => /^(-|-f-)$/.test(text) || (/^[^-/][^=]*=/.test(text) && !isPlain.test(text))
  const at = words.findIndex(({ text }, index) => index > 0 && isOdd(text))
  return at < 0 ? undefined : { at, why: 'sets a variable that may be a program' }
}

const unary = /^-[efdrwxsLhnzbcpSugkGON]$/
const binary = /^(=|==|!=|-nt|-ot|-ef)$/
const numeric = /^-(eq|ne|lt|le|gt|ge)$/

/** `test` evaluates some of its operands; only forms that do not are let through. */
export function testForm(words: readonly Word[]): Wrong | undefined {
  const isBracket = words[0]?.text === '['
  const inner = words.slice(1, isBracket ? -1 : undefined).map(({ text }) => text)
  if (inner[0] === '!') inner.shift()
  const [a = '', operator = '', b = ''] = inner
  const fits =
    (inner.length === 1 && !a.startsWith('-')) ||
    (inner.length === 2 && unary.test(a)) ||
    (inner.length === 3 && binary.test(operator)) ||
    (inner.length === 3 && numeric.test(operator) && [a, b].every((one) => /^(\d+|\$\?|"\$\?")$/.test(one)))
  const closed = !isBracket || words.at(-1)?.text === ']'
  return fits && closed ? undefined : { at: words.length - 1, why: 'is a test that is not understood' }
}

function scriptsOf(words: readonly Word[], option: RegExp): { word: Word; at: number }[] {
  const given = words.flatMap((word, at) => (at > 0 && option.test(words[at - 1]!.text) ? [{ word, at }] : []))
  if (given.length > 0 || words.some(({ text }) => /^-\w*e.|^--expression=/.test(text))) {
    const attached = words.flatMap((word, at) =>
      /^-[nErsuz]*e./.test(word.text) ? [{ word: cut(word, /^-\w*?e/), at }] : [],
    )
    const long = words.flatMap((word, at) =>
      word.text.startsWith('--exp') && word.text.includes('=') ? [{ word: cut(word, /^[^=]*=/), at }] : [],
    )
    return [...given, ...attached, ...long]
  }
  const at = words.findIndex(({ text }, index) => index > 0 && !/^-./.test(text))
  return at < 0 ? [] : [{ word: words[at]!, at }]
}

const cut = (word: Word, start: RegExp): Word => ({ ...word, text: word.text.replace(start, '') })
