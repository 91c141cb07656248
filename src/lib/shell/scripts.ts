import type { Seen, Wrong } from './program.ts'
import type { Word } from './words.ts'

/** Texts that a program runs as its own small language: only what can neither write nor run is let through. */

const REGEX = String.raw`(?:[^/\\\n]|\\[^\n])`
const address = String.raw`(?:\d+|\$|/${REGEX}+/I?)`
const sedCommand = new RegExp(
  String.raw`^\s*(?:${address}(?:\s*,\s*[+~]?${address})?\s*!?\s*)?(?:[pdDq=Pgxhn]|s(?:/${REGEX}*/${REGEX}*/|\|(?:[^|\\\n]|\\[^\n])*\|(?:[^|\\\n]|\\[^\n])*\||#(?:[^#\\\n]|\\[^\n])*#(?:[^#\\\n]|\\[^\n])*#|,(?:[^,\\\n]|\\[^\n])*,(?:[^,\\\n]|\\[^\n])*,)[gIip\d]*|)\s*$`,
)

/** The script is the first operand, or the value of each `-e`. */
export function sedScript({ operands, options }: Seen): Wrong | undefined {
  const given = options.filter(({ name }) => name === '-e' || (name.length > 2 && '--expression'.startsWith(name)))
  const scripts = given.length > 0 ? given : operands.slice(0, 1).map(({ word, at }) => ({ value: word, at }))
  const wrong = scripts.find(({ value }) => value === undefined || !isSed(value))
  return wrong && { at: wrong.at, why: 'can write files and run programs' }
}

/** A semicolon inside a pattern would cut a command in two, and then neither half is understood. */
const isSed = ({ text, known }: Word): boolean =>
  known && hasPlainSets(text) && (sedCommand.test(text) || text.split(/[;\n]/).every((one) => sedCommand.test(one)))

/** In `[/]` a slash does not end the pattern, so that what looks like the next command may be the name of a file. */
function hasPlainSets(text: string): boolean {
  const plain = text.includes('s,') ? /\[\^?(\[:[a-z]+:\]|[^\][/|#,])+\]/g : /\[\^?(\[:[a-z]+:\]|[^\][/|#])+\]/g
  return !text.replace(/\\./g, '').replace(plain, '').includes('[')
}

/** Where there is a slash or a comment, nobody can tell what is a text in quotes and what is not. */
export function awkScript({ operands: [script] }: Seen): Wrong | undefined {
  if (script === undefined) return undefined
  const { text, known } = script.word
  const bare = /[/#]/.test(text) ? text : text.replace(/"(?:\\.|[^"\\])*"/g, '""')
  const harmless = known && !/system|getline|ARG[VC]|ENVIRON|SYMTAB|FUNCTAB|[|>@]/.test(bare)
  return harmless ? undefined : { at: script.at, why: 'can write files and run programs' }
}

/** jq can read other files by name, and nothing more. */
export function jqScript({ words }: Seen): Wrong | undefined {
  const at = words.findIndex(({ text }) => /\b(import|include|modulemeta)\b/.test(text))
  return at < 0 ? undefined : { at, why: 'can read other files' }
}

/** make takes variables as operands, and some of them are programs; `-` makes it read its rules from the input. */
export function makeVariable({ words }: Seen): Wrong | undefined {
  const isPlain = /^(?!SHELL|MAKE|\.)[A-Za-z_]+[?:]?=(\d*|yes|no|true|false|on|off|debug|release|test|dev|prod)$/i
  const isOdd = (text: string): boolean => /^(-|-f-)$/.test(text) || (/^[^-/][^=]*=/.test(text) && !isPlain.test(text))
  const at = words.findIndex(({ text }, index) => index > 0 && isOdd(text))
  return at < 0 ? undefined : { at, why: 'sets a variable that may be a program' }
}

/** cmake takes programs and files as variables, and behind `--` what make takes. */
export function cmakeVariable({ words, options }: Seen): Wrong | undefined {
  const isPlain = /^\w+(:\w+)?=(\d*|on|off|yes|no|true|false|debug|release|relwithdebinfo|minsizerel)$/i
  const odd = options.find(({ name, value }) => name === '-D' && !isPlain.test(value?.text ?? ''))
  const from = words.findIndex(({ text }) => text === '--')
  const passed =
    from < 0 ? -1 : words.findIndex(({ text }, at) => at > from && !/^(-j\d*|VERBOSE=1|[a-z]\w*)$/.test(text))
  const at = odd?.at ?? passed
  return at < 0 ? undefined : { at, why: 'may name a program or a file' }
}

const unary = /^-[efdrwxsLhnzbcpSugkGON]$/
const binary = /^(=|==|!=|-nt|-ot|-ef)$/
const numeric = /^-(eq|ne|lt|le|gt|ge)$/

/** `test` evaluates some of its operands; only forms that do not are let through. */
export function testForm({ words }: Seen): Wrong | undefined {
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
