import type { Atom } from './syntax.ts'

/** The characters, whatever is put in place left out. */
export const charsOf = (atoms: readonly Atom[]): string =>
  atoms.map((atom) => (atom.kind === 'char' ? atom.char : '')).join('')

export const quotedChars = (text: string): Atom[] => [...text].map((char) => ({ kind: 'char', char, quoted: true }))

/** This character, not quoted. */
export const isBare = (atom: Atom | undefined, char: string): boolean =>
  atom?.kind === 'char' && !atom.quoted && atom.char === char

/** Begins a set of characters such as `[a-z]`. */
export const opensSet = (atoms: readonly Atom[], at: number): boolean =>
  isBare(atoms[at], '[') && atoms.slice(at + 1).some((atom) => isBare(atom, ']'))
