import { charsOf, isBare, opensSet, quotedChars } from './atoms.ts'
import { type Looks, namesLike } from './globs.ts'
import { type Atom, NotUnderstood, type RawWord } from './syntax.ts'
import { literal, quoted, type Word } from './words.ts'

/** What bash knows when it puts values in place. */
export interface KnownValues {
  /** The folder in which patterns look for names; a real path. */
  readonly folder: string
  readonly looks: Looks
  readonly home: string | undefined
  readonly variables: ReadonlyMap<string, string>
}

interface Expanded {
  readonly words: readonly Word[]
  /** The word as rules know it: patterns stay patterns. */
  readonly text: string
  /** Which words it stands for depends on the files of the folder. */
  readonly pattern: boolean
}

const WORDS = 1000

/** In the order of bash: braces, the home folder, values, names of files. */
export function expand(raw: RawWord, known: KnownValues): Expanded {
  const branches = braces(raw.atoms).map((atoms) => valued(withHome(atoms, known), known))
  const isPattern = branches.some(hasPattern)
  const words = branches.flatMap((atoms): Word[] => {
    if (atoms.some(({ kind }) => kind !== 'char')) return [unknown(raw.source, atoms)]
    if (!hasPattern(atoms)) return [literal(charsOf(atoms))]
    return namesLike(atoms, known).map((name) => ({ ...literal(name), found: true }))
  })
  if (words.length > WORDS) throw new NotUnderstood(`${raw.source} stands for more than ${WORDS} words`)
  const [only] = words
  const plain = words.length === 1 && only?.known && !isPattern ? quoted(only.text) : raw.source
  return { words, text: plain, pattern: isPattern }
}

function unknown(text: string, atoms: readonly Atom[]): Word {
  const first = atoms.find((atom) => atom.kind !== 'char' || atom.char !== '')
  const splits = atoms.some((atom) => (atom.kind === 'variable' || atom.kind === 'output') && !atom.quoted)
  const leads =
    splits || first?.kind === 'variable' || first?.kind === 'output' || charsOf(first ? [first] : []) === '-'
  return { text, known: false, ...(splits ? { splits } : {}), ...(leads ? { leads } : {}) }
}

/** The value of `NAME=value`: bash looks for no braces and no files there. */
export function assigned(raw: RawWord, known: KnownValues): string {
  const atoms = valued(raw.atoms, known)
  if (raw.atoms.some((atom, at) => isBare(atom, '~') && (at === 0 || isBare(raw.atoms[at - 1], ':'))))
    throw new NotUnderstood('it sets a variable to a home folder')
  if (atoms.some(({ kind }) => kind !== 'char')) throw new NotUnderstood('it sets a variable to what is not known')
  return charsOf(atoms)
}

const hasPattern = (atoms: readonly Atom[]): boolean =>
  atoms.some((atom, at) => isBare(atom, '*') || isBare(atom, '?') || opensSet(atoms, at))

/** `a{b,c}` stands for two words. Only plain lists and short sequences of numbers are understood. */
function braces(atoms: readonly Atom[]): (readonly Atom[])[] {
  const open = atoms.findIndex((atom, at) => isBare(atom, '{') && !isBare(atoms[at + 1], '}'))
  if (open < 0) return [atoms]
  const close = atoms.findIndex((atom, at) => at > open && isBare(atom, '}'))
  const inner = close < 0 ? [] : atoms.slice(open + 1, close)
  if (close < 0 || inner.some((atom) => isBare(atom, '{') || atom.kind !== 'char'))
    throw new NotUnderstood('it has braces that are not understood')
  const choices = choicesIn(inner)
  const [before, after] = [atoms.slice(0, open), atoms.slice(close + 1)]
  if (choices === undefined) {
    const kept = atoms.slice(open, close + 1).flatMap((atom) => (atom.kind === 'char' ? quotedChars(atom.char) : atom))
    return braces([...before, ...kept, ...after])
  }
  const all = choices.flatMap((choice) => braces([...before, ...choice, ...after]))
  if (all.length > WORDS) throw new NotUnderstood(`it has braces that stand for more than ${WORDS} words`)
  return all
}

function choicesIn(inner: readonly Atom[]): (readonly Atom[])[] | undefined {
  if (inner.some((atom) => isBare(atom, ','))) {
    const choices: Atom[][] = [[]]
    for (const atom of inner) {
      if (isBare(atom, ',')) choices.push([])
      else choices.at(-1)!.push(atom)
    }
    return choices
  }
  const text = charsOf(inner)
  if (!text.includes('..')) return undefined
  const ends = /^(0|[1-9]\d{0,5})\.\.(0|[1-9]\d{0,5})$/.exec(text)?.slice(1).map(Number)
  const [from = 0, to = 0] = ends ?? []
  if (ends === undefined || from > to || to - from > WORDS)
    throw new NotUnderstood('it has braces that are not understood')
  return Array.from({ length: to - from + 1 }, (_, at) =>
    [...String(from + at)].map((char): Atom => ({ kind: 'char', char, quoted: false })),
  )
}

function withHome(atoms: readonly Atom[], { home }: KnownValues): readonly Atom[] {
  // Bash also looks for a home folder behind the = and : of words that look like assignments.
  if (atoms.some((atom, at) => isBare(atom, '~') && (isBare(atoms[at - 1], '=') || isBare(atoms[at - 1], ':'))))
    throw new NotUnderstood('it names a home folder inside a word')
  if (!isBare(atoms[0], '~')) return atoms
  if (home === undefined || (atoms.length > 1 && !isBare(atoms[1], '/')))
    throw new NotUnderstood('it names a home folder that is not known')
  return [...quotedChars(home), ...atoms.slice(1)]
}

/** Puts the values that are known in place. Bash would split an unquoted value and look for files. */
function valued(atoms: readonly Atom[], { home, variables }: KnownValues): readonly Atom[] {
  return atoms.flatMap((atom): readonly Atom[] => {
    if (atom.kind !== 'variable') return [atom]
    const value = variables.get(atom.name) ?? (atom.name === 'HOME' ? home : undefined)
    if (value === undefined || (!atom.quoted && !/^[\w@%+=:,./-]+$/.test(value))) return [atom]
    return quotedChars(value)
  })
}
