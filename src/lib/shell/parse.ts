import { isNext, peek, readDocuments, readWord, refuseStrange, skipBlanks } from './scan.ts'
import { type Assignment, type Cursor, NotUnderstood, type RawWord, type Redirect, type ShellNode } from './syntax.ts'

const LENGTH = 50_000
const DEPTH = 8

/** Reads a command line to its last character, or throws why it is not understood. */
export function parse(source: string): readonly ShellNode[] {
  if (source.length > LENGTH) throw new NotUnderstood('it is too long to take apart')
  refuseStrange(source)
  const cursor: Cursor = { source, at: 0, waiting: [], depth: 0 }
  const statements = readList(cursor)
  if (cursor.at < source.length) throw new NotUnderstood(`it has a part that belongs to no command: ${shown(cursor)}`)
  if (cursor.waiting.length > 0) throw new NotUnderstood('it has a here-document without an end')
  return statements
}

const shown = ({ source, at }: Cursor): string => JSON.stringify(source.slice(at, at + 12))

/** Statements up to a word or sign that cannot begin one. */
function readList(cursor: Cursor): readonly ShellNode[] {
  cursor.depth += 1
  if (cursor.depth > DEPTH) throw new NotUnderstood('it is too deep to take apart')
  const statements: ShellNode[] = []
  skipLines(cursor)
  while (!isEnd(cursor)) {
    const statement = readChain(cursor)
    skipBlanks(cursor)
    const inBackground = peek(cursor) === '&'
    statements.push(inBackground ? { kind: 'background', of: statement } : statement)
    const separator = peek(cursor)
    if (separator === ';' || separator === '&') cursor.at += 1
    else if (separator !== '\n') break
    skipLines(cursor)
  }
  if (peek(cursor) === ')' && cursor.waiting.length > 0)
    throw new NotUnderstood('it has a here-document without an end')
  cursor.depth -= 1
  return statements
}

function skipLines(cursor: Cursor): void {
  skipBlanks(cursor)
  while (peek(cursor) === '\n') {
    cursor.at += 1
    readDocuments(cursor)
    skipBlanks(cursor)
  }
}

/** Words that bash reads as its own where a command begins. */
const reserved = new Set(
  '! { } [[ ]] case coproc do done elif else esac fi for function if in select then time until while'.split(' '),
)
const closing = new Set(['}', 'do', 'done', 'elif', 'else', 'fi', 'then'])

function isEnd(cursor: Cursor): boolean {
  return peek(cursor) === '' || peek(cursor) === ')' || closing.has(reservedAt(cursor) ?? '')
}

function reservedAt({ source, at }: Cursor): string | undefined {
  const word = /^[^\s;&|<>()'"\\$`]+(?=[\s;&|<>()]|$)/.exec(source.slice(at, at + 20))?.[0]
  return word !== undefined && reserved.has(word) ? word : undefined
}

function readChain(cursor: Cursor): ShellNode {
  let left = readPipeline(cursor)
  for (;;) {
    skipBlanks(cursor)
    const kind = isNext(cursor, '&&') ? 'and' : isNext(cursor, '||') ? 'or' : undefined
    if (kind === undefined) return left
    cursor.at += 2
    skipLines(cursor)
    left = { kind, left, right: readPipeline(cursor) }
  }
}

function readPipeline(cursor: Cursor): ShellNode {
  const word = reservedAt(cursor)
  if (word === '!' || word === 'time') {
    take(cursor, word)
    skipBlanks(cursor)
    if (word === 'time' && /^-p\s/.test(cursor.source.slice(cursor.at, cursor.at + 3))) take(cursor, '-p')
    const of = readPipeline(cursor)
    return word === '!' ? { kind: 'not', of } : of
  }
  const parts = [readCommand(cursor)]
  for (;;) {
    skipBlanks(cursor)
    if (peek(cursor) !== '|' || isNext(cursor, '||')) break
    cursor.at += isNext(cursor, '|&') ? 2 : 1
    skipLines(cursor)
    parts.push(readCommand(cursor))
  }
  return parts.length === 1 ? parts[0]! : { kind: 'pipe', parts }
}

function readCommand(cursor: Cursor): ShellNode {
  if (peek(cursor) === '(') return readSubshell(cursor)
  const word = reservedAt(cursor)
  if (word === undefined) return readSimple(cursor)
  if (word === '{') return readGroup(cursor)
  if (word === 'if') return readIf(cursor)
  if (word === 'for') return readFor(cursor)
  throw new NotUnderstood(`it has a part that is not understood: ${word}`)
}

function readSubshell(cursor: Cursor): ShellNode {
  if (isNext(cursor, '((')) throw new NotUnderstood('it computes')
  cursor.at += 1
  const of = readBlock(cursor)
  take(cursor, ')')
  return { kind: 'subshell', of, redirects: readRedirects(cursor) }
}

function readGroup(cursor: Cursor): ShellNode {
  take(cursor, '{')
  const of = readBlock(cursor)
  take(cursor, '}')
  return { kind: 'group', of, redirects: readRedirects(cursor) }
}

function readIf(cursor: Cursor): ShellNode {
  take(cursor, 'if')
  const { when, then, otherwise } = readBranches(cursor)
  take(cursor, 'fi')
  return { kind: 'if', when, then, otherwise, redirects: readRedirects(cursor) }
}

function readBranches(cursor: Cursor): { when: ShellNode[]; then: ShellNode[]; otherwise: ShellNode[] } {
  const when = readBlock(cursor)
  take(cursor, 'then')
  const then = readBlock(cursor)
  const word = reservedAt(cursor)
  if (word === 'elif') {
    take(cursor, 'elif')
    return { when, then, otherwise: [{ kind: 'if', ...readBranches(cursor), redirects: [] }] }
  }
  if (word !== 'else') return { when, then, otherwise: [] }
  take(cursor, 'else')
  return { when, then, otherwise: readBlock(cursor) }
}

function readFor(cursor: Cursor): ShellNode {
  take(cursor, 'for')
  skipBlanks(cursor)
  const name = readWord(cursor, readList)?.source ?? ''
  // Programs read variables whose names are in capitals, and a few that are not.
  if (!/^[a-z][a-z0-9_]*$/.test(name) || /proxy|histchars|auto_resume/.test(name))
    throw new NotUnderstood('it sets a variable that programs may read')
  skipBlanks(cursor)
  take(cursor, 'in')
  const values: RawWord[] = []
  for (;;) {
    skipBlanks(cursor)
    const value = readWord(cursor, readList)
    if (value === undefined) break
    values.push(value)
  }
  if (peek(cursor) === ';') cursor.at += 1
  else if (peek(cursor) !== '\n') throw new NotUnderstood('it has a loop that is not understood')
  skipLines(cursor)
  take(cursor, 'do')
  const body = readBlock(cursor)
  take(cursor, 'done')
  return { kind: 'for', name, values, body, redirects: readRedirects(cursor) }
}

/** The statements inside a construct: at least one. */
function readBlock(cursor: Cursor): ShellNode[] {
  const statements = [...readList(cursor)]
  if (statements.length === 0) throw new NotUnderstood('it has an empty part')
  return statements
}

function take(cursor: Cursor, word: string): void {
  if (!isNext(cursor, word) || (word !== ')' && !/^([\s;&|<>()]|$)/.test(peek(cursor, word.length))))
    throw new NotUnderstood(`it has no ${word} where one is needed`)
  cursor.at += word.length
}

function readSimple(cursor: Cursor): ShellNode {
  const assignments: Assignment[] = []
  const words: RawWord[] = []
  const redirects: Redirect[] = []
  for (;;) {
    skipBlanks(cursor)
    const redirect = readRedirect(cursor)
    if (redirect !== undefined) redirects.push(redirect)
    else {
      const word = readWord(cursor, readList)
      if (word === undefined) break
      const assigned = words.length === 0 ? assignment(word) : undefined
      if (assigned !== undefined) assignments.push(assigned)
      else words.push(word)
      // `name(` begins a function, and `{name}>` opens a file under a name.
      if (peek(cursor) === '(' || (word.source.endsWith('}') && '<>'.includes(peek(cursor) || ' ')))
        throw new NotUnderstood(`it has a part that is not understood: ${shown(cursor)}`)
    }
  }
  if (words.length + assignments.length + redirects.length === 0)
    throw new NotUnderstood(`it has a part that belongs to no command: ${shown(cursor)}`)
  return { kind: 'simple', assignments, words, redirects }
}

function assignment({ atoms, source }: RawWord): Assignment | undefined {
  const plain = atoms.findIndex((atom) => atom.kind !== 'char' || atom.quoted)
  const text = atoms
    .slice(0, plain < 0 ? atoms.length : plain)
    .map((atom) => (atom.kind === 'char' ? atom.char : ''))
    .join('')
  if (/^[A-Za-z_]\w*(\+=|\[)/.test(text)) throw new NotUnderstood('it sets a part of a variable')
  const name = /^([A-Za-z_]\w*)=/.exec(text)?.[1]
  if (name === undefined) return undefined
  const from = name.length + 1
  return { name, value: { atoms: atoms.slice(from), source: source.slice(from) } }
}

function readRedirects(cursor: Cursor): Redirect[] {
  const found: Redirect[] = []
  for (;;) {
    skipBlanks(cursor)
    const redirect = readRedirect(cursor)
    if (redirect === undefined) return found
    found.push(redirect)
  }
}

const files: Record<string, 'read' | 'write'> = { '<': 'read', '>': 'write', '>>': 'write', '>|': 'write' }

function readRedirect(cursor: Cursor): Redirect | undefined {
  const rest = cursor.source.slice(cursor.at, cursor.at + 20)
  const found = /^(\d*)(<<<|<<-|<<|<>|<&|>>|>&|>\||<|>)|^(&>>|&>)/.exec(rest)
  // Bash takes a number that is too large for a word.
  if (/^\d{4,}[<>]/.test(rest)) throw new NotUnderstood('it has a redirection of an unusual number')
  if (found === null) return undefined
  const [all, , plain = '', both] = found
  cursor.at += all.length
  if (plain === '<&' || plain === '>&') return copied(cursor)
  if (plain === '<<' || plain === '<<-') return hereDocument(cursor, plain === '<<-')
  skipBlanks(cursor)
  if (isNext(cursor, '<(') || isNext(cursor, '>(')) throw new NotUnderstood('it has a command in place of a file')
  const target = readWord(cursor, readList)
  if (target === undefined) throw new NotUnderstood('it has a redirection without a file')
  if (plain === '<<<') return { kind: 'text', text: undefined, of: target.atoms.flatMap(statementsIn) }
  const access = both === undefined ? files[plain] : 'write'
  if (access === undefined) throw new NotUnderstood(`it has a redirection that is not understood: ${all}`)
  return { kind: 'file', access, target }
}

const statementsIn = (atom: RawWord['atoms'][number]): readonly ShellNode[] => (atom.kind === 'output' ? atom.of : [])

/** `2>&1` and `>&-` open no file. */
function copied(cursor: Cursor): Redirect {
  const to = /^(\d+-?|-)(?=[\s;&|<>()]|$)/.exec(cursor.source.slice(cursor.at, cursor.at + 10))?.[0]
  if (to === undefined) throw new NotUnderstood('it has a redirection that is not understood')
  cursor.at += to.length
  return { kind: 'text', text: undefined, of: [] }
}

function hereDocument(cursor: Cursor, tabs: boolean): Redirect {
  skipBlanks(cursor)
  const end = readWord(cursor, readList)?.source ?? ''
  const name = /^(?:(\w+)|'(\w+)'|"(\w+)"|\\(\w+))$/.exec(end)?.slice(1).find(Boolean)
  if (name === undefined) throw new NotUnderstood('it has a here-document with an unusual end')
  const redirect: { kind: 'text'; text: string | undefined; of: readonly ShellNode[] } = {
    kind: 'text',
    text: '',
    of: [],
  }
  const done = (text: string | undefined): void => {
    redirect.text = text
  }
  cursor.waiting.push({ end: name, plain: !/^\w/.test(end), tabs, done })
  return redirect
}
