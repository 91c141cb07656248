import { type Atom, type Cursor, NotUnderstood, type RawWord, type ShellNode } from './syntax.ts'

/** Reads the commands of `$( )`, up to its closing bracket. */
type ReadInner = (cursor: Cursor) => readonly ShellNode[]

/** Line ends, tabs and spaces are the only white space that all shells agree on; control characters hide what is there. */
const strange = /[\p{C}--[\n\t]]|[\p{Z}--[ ]]/v

export function refuseStrange(source: string): void {
  if (strange.test(source)) throw new NotUnderstood('it has control characters or unusual spaces')
}

export const peek = ({ source, at }: Cursor, ahead = 0): string => source[at + ahead] ?? ''

export const isNext = ({ source, at }: Cursor, text: string): boolean => source.startsWith(text, at)

const blank = (character: string): boolean => character === ' ' || character === '\t'

/** These end a word, wherever they stand unquoted. */
const endsWord = (character: string): boolean => character === '' || ' \t\n;&|<>()'.includes(character)

/** Skips spaces, comments, and line ends behind a backslash. */
export function skipBlanks(cursor: Cursor): void {
  for (;;) {
    if (blank(peek(cursor))) cursor.at += 1
    else if (isNext(cursor, '\\\n')) joinLines(cursor)
    else if (peek(cursor) === '#' && endsWord(cursor.source[cursor.at - 1] ?? '')) {
      const end = cursor.source.indexOf('\n', cursor.at)
      cursor.at = end < 0 ? cursor.source.length : end
    } else return
  }
}

/** Bash takes a backslash and the line end away. Only between words does that leave the words as they look. */
function joinLines(cursor: Cursor): void {
  if (!blank(cursor.source[cursor.at - 1] ?? '') && !blank(peek(cursor, 2)))
    throw new NotUnderstood('a word goes on in the next line')
  cursor.at += 2
}

export function readWord(cursor: Cursor, readInner: ReadInner): RawWord | undefined {
  const start = cursor.at
  const atoms: Atom[] = []
  while (!endsWord(peek(cursor)) && !isNext(cursor, '\\\n')) atoms.push(...readPiece(cursor, readInner))
  if (isNext(cursor, '\\\n') && cursor.at > start) joinLines(cursor)
  const source = cursor.source.slice(start, cursor.at).replace(/\\\n$/, '')
  return source === '' ? undefined : { atoms, source }
}

function readPiece(cursor: Cursor, readInner: ReadInner): Atom[] {
  const character = peek(cursor)
  if (character === "'") return singleQuoted(cursor)
  if (character === '"') return doubleQuoted(cursor, readInner)
  if (character === '$') return [afterDollar(cursor, false, readInner)]
  refuseBackquote(character)
  cursor.at += 1
  if (character !== '\\') return [{ kind: 'char', char: character, quoted: false }]
  const escaped = peek(cursor)
  if (escaped === '') throw new NotUnderstood('it ends in a backslash')
  cursor.at += 1
  return [{ kind: 'char', char: escaped, quoted: true }]
}

/** Even an empty pair of quotes is a word, so it leaves an empty character. */
function singleQuoted(cursor: Cursor): Atom[] {
  const end = cursor.source.indexOf("'", cursor.at + 1)
  if (end < 0) throw new NotUnderstood('it has a quote without an end')
  const text = cursor.source.slice(cursor.at + 1, end)
  refuseSplitDocument(cursor, text)
  cursor.at = end + 1
  return [quotedChar(''), ...[...text].map(quotedChar)]
}

const quotedChar = (char: string): Atom => ({ kind: 'char', char, quoted: true })

function doubleQuoted(cursor: Cursor, readInner: ReadInner): Atom[] {
  const atoms: Atom[] = [quotedChar('')]
  cursor.at += 1
  for (;;) {
    const character = peek(cursor)
    if (character === '') throw new NotUnderstood('it has a quote without an end')
    refuseBackquote(character)
    refuseSplitDocument(cursor, character)
    if (character === '$') {
      atoms.push(afterDollar(cursor, true, readInner))
      continue
    }
    cursor.at += 1
    if (character === '"') return atoms
    if (character === '\\' && '$`"\\'.includes(peek(cursor)) && peek(cursor) !== '') {
      atoms.push(quotedChar(peek(cursor)))
      cursor.at += 1
    } else if (character === '\\' && peek(cursor) === '\n') throw new NotUnderstood('a word goes on in the next line')
    else atoms.push(quotedChar(character))
  }
}

function afterDollar(cursor: Cursor, quoted: boolean, readInner: ReadInner): Atom {
  const rest = cursor.source.slice(cursor.at)
  const name = /^\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})/.exec(rest)
  if (name !== null) {
    cursor.at += name[0].length
    return { kind: 'variable', name: name[1] ?? name[2] ?? '', quoted }
  }
  if (/^\$[?$]/.test(rest)) {
    cursor.at += 2
    return { kind: 'number' }
  }
  if (rest.startsWith('$(') && !rest.startsWith('$((')) return output(cursor, quoted, readInner)
  // A dollar sign that begins nothing stands for itself.
  if (/^\$(?![\w{([@*#!-])/.test(rest) && (quoted || !/^\$['"]/.test(rest))) {
    cursor.at += 1
    return { kind: 'char', char: '$', quoted: true }
  }
  throw new NotUnderstood(`what stands for ${rest.slice(0, 12).split('\n', 1)[0]} is known only when it runs`)
}

function output(cursor: Cursor, quoted: boolean, readInner: ReadInner): Atom {
  if (cursor.waiting.length > 0) throw new NotUnderstood('it has a command inside the line of a here-document')
  cursor.at += 2
  const of = readInner(cursor)
  if (peek(cursor) !== ')') throw new NotUnderstood('it has a bracket without an end')
  cursor.at += 1
  return { kind: 'output', of, quoted }
}

function refuseBackquote(character: string): void {
  if (character === '`') throw new NotUnderstood('it has a command in backquotes')
}

/** The text of a here-document begins at the next line end, which must not be one inside quotes. */
function refuseSplitDocument({ waiting }: Cursor, text: string): void {
  if (waiting.length > 0 && text.includes('\n'))
    throw new NotUnderstood('it has a line end in quotes before a here-document')
}

/** Reads the here-documents that begin behind this line end. */
export function readDocuments(cursor: Cursor): void {
  for (const { end, plain, tabs, done } of cursor.waiting.splice(0)) {
    const lines: string[] = []
    // Behind the end of another here-document of the same line.
    if (peek(cursor) === '\n' && cursor.source[cursor.at - 1] !== '\n') cursor.at += 1
    for (;;) {
      if (cursor.at >= cursor.source.length) throw new NotUnderstood('it has a here-document without an end')
      const next = cursor.source.indexOf('\n', cursor.at)
      const line = cursor.source.slice(cursor.at, next < 0 ? cursor.source.length : next)
      const shown = tabs ? line.replace(/^\t+/, '') : line
      if (shown === end) {
        // The line end behind it ends the command.
        cursor.at = next < 0 ? cursor.source.length : next
        break
      }
      lines.push(`${shown}\n`)
      cursor.at = next < 0 ? cursor.source.length : next + 1
    }
    done(plain ? lines.join('') : evaluated(lines.join('')))
  }
}

/** A text in which bash puts values in place: undefined when it does so, refused when it would run something. */
function evaluated(text: string): string | undefined {
  if (/\\\n/.test(text)) throw new NotUnderstood('it has a here-document whose lines are joined')
  const bare = text.replace(/\\[$`\\]/g, '')
  if (/`|\$[([{]/.test(bare)) throw new NotUnderstood('it has a here-document that runs commands; quote its end')
  return /\$\S/.test(bare) || bare !== text ? undefined : text
}
