import { readdirSync, statSync } from 'node:fs'
import { ANY, fits, ONE, type Piece } from '../wildcard.ts'
import { charsOf, isBare, opensSet } from './atoms.ts'
import { type Atom, NotUnderstood, TooMuch, Trapped } from './syntax.ts'

const ENTRIES = 5000
const NAMES = 1000
/** No file has a longer name. */
const NAME_BYTES = 255

/** How many more names may be looked at for patterns, counted down, and which folders were read for them. */
export interface Looks {
  left: number
  folders: string[]
}

interface Looking {
  readonly folder: string
  readonly looks: Looks
}

/** The names of files that bash would put in place of a pattern; the pattern itself where there are none. */
export function namesLike(atoms: readonly Atom[], { folder, looks }: Looking): string[] {
  const segments = split(atoms)
  let found = ['']
  for (const [at, segment] of segments.entries()) {
    const slash = at === 0 ? '' : '/'
    const isMeant = matcher(segment)
    // Links and `..` are left to the system: a path that is put together by hand may lead elsewhere.
    const ahead = found.flatMap((before) => {
      if (isMeant === undefined) return [`${before}${slash}${charsOf(segment)}`]
      const names = entriesOf(at === 0 ? folder : absolute(folder, `${before}/`), looks).filter(isMeant)
      if (at > 0) looks.folders.push(`${before}/`)
      return names.map((name) => `${before}${slash}${name}`)
    })
    const isLast = at === segments.length - 1
    found = isMeant === undefined || isLast ? ahead : ahead.filter((path) => isFolder(absolute(folder, path)))
    if (found.length > NAMES) throw new NotUnderstood(`it has a pattern that stands for more than ${NAMES} names`)
  }
  // Which of the names comes first depends on the language, so that nobody can tell what such an option is given.
  if (found.some((name) => name.startsWith('-'))) throw new Trapped('a file is named like an option')
  return found.length > 0 ? found : [charsOf(atoms)]
}

const absolute = (folder: string, path: string): string => (path.startsWith('/') ? path : `${folder}/${path}`)

function split(atoms: readonly Atom[]): Atom[][] {
  const segments: Atom[][] = [[]]
  for (const atom of atoms) {
    if (atom.kind === 'char' && atom.char === '/') segments.push([])
    else segments.at(-1)!.push(atom)
  }
  return segments
}

/** Some versions of bash take `.` and `..` for names too. */
function entriesOf(folder: string, looks: Looks): string[] {
  const names = namesIn(folder)
  looks.left -= names.length + 1
  if (looks.left < 0) throw new TooMuch('it has patterns over too many files')
  if (names.length > ENTRIES) throw new NotUnderstood(`it has a pattern over more than ${ENTRIES} files`)
  return ['.', '..', ...names]
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

function matcher(segment: readonly Atom[]): ((name: string) => boolean) | undefined {
  const wanted: Piece[] = []
  let isPattern = false
  for (let at = 0; at < segment.length; at += 1) {
    const atom = segment[at]!
    const isSet = opensSet(segment, at)
    isPattern ||= isSet || isBare(atom, '*') || isBare(atom, '?')
    if (isSet) {
      const end = segment.findIndex((one, to) => to > at + 1 && isBare(one, ']'))
      wanted.push(setOf(segment.slice(at + 1, end < 0 ? at + 1 : end)))
      at = end
    } else if (isBare(atom, '*')) wanted.push(...(wanted.at(-1) === ANY ? [] : [ANY]))
    else if (isBare(atom, '?')) wanted.push(ONE)
    else wanted.push(...charsOf([atom]))
  }
  if (!isPattern) return undefined
  const inBytes = wanted.flatMap((piece) =>
    typeof piece === 'string' && piece !== ANY ? [...bytesOf(piece)] : [piece],
  )
  if (wanted.length > 2 * NAME_BYTES + 1) return () => false
  // A name that begins with a dot has to be asked for.
  const dot = charsOf(segment).startsWith('.')
  return (name) => {
    if (name.startsWith('.') && !dot) return false
    // In some languages a character of bash is a byte.
    const isIt = fits(wanted, [...name])
    if (name.includes('\ufffd') || isIt !== fits(inBytes, bytesOf(name)))
      throw new NotUnderstood('it has a pattern over names that languages read in different ways')
    return isIt
  }
}

const bytesOf = (text: string): string => Buffer.from(text).toString('latin1')

/** Letters, digits and ranges of them. A quoted character would stand for itself. */
function setOf(atoms: readonly Atom[]): Piece {
  const inner = atoms.some((atom) => !isBare(atom, charsOf([atom]))) ? '' : charsOf(atoms)
  const parts = /^([!^]?)((?:[a-z]-[a-z]|[A-Z]-[A-Z]|[0-9]-[0-9]|[\w.,+=@])+)$/.exec(inner)
  const ranges = parts?.[2]?.match(/.-./g) ?? []
  if (parts === null || ranges.some(([from = '', , to = '']) => from > to))
    throw new NotUnderstood('it has a pattern that is not understood')
  const set = new RegExp(`^[${parts[1] === '' ? '' : '^'}${parts[2]}]$`, 'su')
  return (sign) => set.test(sign)
}
