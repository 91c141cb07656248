import type { Node } from './grammar.ts'

/** One word of a command as the shell will hand it to the program, as far as that can be said without running it. */
export interface Word {
  /** The word without quotes; a pattern stays a pattern, and an unknown word stays as written. */
  readonly text: string
  /** literal: exactly this. pattern: the names of files that match. unknown: known only when the command runs. */
  readonly kind: 'literal' | 'pattern' | 'unknown'
  /** Begins with an unquoted tilde: the shell puts a home folder there. */
  readonly tilde: boolean
}

const literal = (text: string): Word => ({ text, kind: 'literal', tilde: false })
export const unknown = (text: string): Word => ({ text, kind: 'unknown', tilde: false })

export function wordOf(node: Node): Word {
  switch (node.type) {
    case 'command_name':
      return node.childCount === 1 ? wordOf(node.child(0)!) : unknown(node.text)
    case 'word':
    case 'number':
    case 'file_descriptor':
      return plain(node.text)
    case 'raw_string':
      return literal(node.text.slice(1, -1))
    case 'string':
      return doubleQuoted(node.text)
    case 'concatenation':
      return joined(node)
    default:
      return unknown(node.text)
  }
}

/** A word in a form that reads back as itself: what rules are compared with and what a person approves. */
export function quoted(word: Word): string {
  if (word.kind !== 'literal') return word.text
  if (word.text !== '' && /^[\p{L}\p{N}\p{M}_@%+=:,./^~-]+$/u.test(word.text) && (word.tilde || word.text[0] !== '~'))
    return word.text
  return `'${word.text.replaceAll("'", "'\\''")}'`
}

function plain(text: string): Word {
  const parts = [...text.matchAll(/\\(\n|.)|([^\\])/gs)]
  if (parts.some(([, , bare]) => bare !== undefined && /[${}`"'()<>;&|\s]/.test(bare))) return unknown(text)
  const isPattern = parts.some(([, , bare]) => bare !== undefined && /[*?[\]]/.test(bare))
  const value = parts.map(([, escaped, bare]) => bare ?? (escaped === '\n' ? '' : escaped)).join('')
  return { text: value, kind: isPattern ? 'pattern' : 'literal', tilde: text.startsWith('~') }
}

function doubleQuoted(text: string): Word {
  const inner = text.slice(1, -1)
  const parts = [...inner.matchAll(/\\([$`"\\\n])|(.)/gs)]
  const bare = parts.map(([, , character]) => character ?? ' ').join('')
  // A dollar sign that begins no expansion stands for itself.
  if (/`|\$[\w{([@*#?!$'"-]/.test(bare)) return unknown(text)
  return literal(parts.map(([, escaped, character]) => character ?? (escaped === '\n' ? '' : escaped)).join(''))
}

function joined(node: Node): Word {
  const pieces = node.children.map((child) => ({ child, word: wordOf(child!) }))
  const whole = pieces.map(({ child }) => child!.text).join('') === node.text
  const some = (kind: Word['kind']): boolean => pieces.some(({ word }) => word.kind === kind)
  // Braces may expand to several words, so such a word is unknown.
  if (!whole || some('unknown') || pieces.some(({ child }) => child!.type === 'word' && /[{}]/.test(child!.text)))
    return unknown(node.text)
  return {
    text: pieces.map(({ word }) => word.text).join(''),
    kind: some('pattern') ? 'pattern' : 'literal',
    tilde: pieces[0]?.word.tilde ?? false,
  }
}
