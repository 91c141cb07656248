/**
 * The part of bash that is understood. What is not written here is no part of it: whoever reads a command line stops at
 * the first character that fits nowhere, and the line counts as not understood.
 */

/** One character of a word, or something that bash puts in its place. */
export type Atom =
  | { readonly kind: 'char'; readonly char: string; readonly quoted: boolean }
  | { readonly kind: 'variable'; readonly name: string; readonly quoted: boolean }
  /** A number such as `$?`. */
  | { readonly kind: 'number' }
  | { readonly kind: 'output'; readonly of: readonly ShellNode[]; readonly quoted: boolean }

export interface RawWord {
  readonly atoms: readonly Atom[]
  /** As it was written. */
  readonly source: string
}

export type Redirect =
  | { readonly kind: 'file'; readonly access: 'read' | 'write'; readonly target: RawWord }
  /** Text for the input; `text` where nothing in it is put in place by bash. */
  | { readonly kind: 'text'; readonly text: string | undefined; readonly of: readonly ShellNode[] }

export interface Assignment {
  readonly name: string
  readonly value: RawWord
}

export type ShellNode =
  | {
      readonly kind: 'simple'
      readonly assignments: readonly Assignment[]
      readonly words: readonly RawWord[]
      readonly redirects: readonly Redirect[]
    }
  | { readonly kind: 'and' | 'or'; readonly left: ShellNode; readonly right: ShellNode }
  | { readonly kind: 'pipe'; readonly parts: readonly ShellNode[] }
  | { readonly kind: 'not' | 'background'; readonly of: ShellNode }
  | { readonly kind: 'subshell' | 'group'; readonly of: readonly ShellNode[]; readonly redirects: readonly Redirect[] }
  | {
      readonly kind: 'if'
      readonly when: readonly ShellNode[]
      readonly then: readonly ShellNode[]
      readonly otherwise: readonly ShellNode[]
      readonly redirects: readonly Redirect[]
    }
  | {
      readonly kind: 'for'
      readonly name: string
      readonly values: readonly RawWord[]
      readonly body: readonly ShellNode[]
      readonly redirects: readonly Redirect[]
    }

/** Why a command line is not understood, as the end of a sentence. */
export class NotUnderstood extends Error {}

/** What a word stands for was chosen by whoever named a file: not even a rule for the very line means that. */
export class Trapped extends NotUnderstood {}

/** There is more to read than anybody would write: nothing further is read. */
export class TooMuch extends NotUnderstood {}

/** Where reading stands in the source. */
export interface Cursor {
  readonly source: string
  at: number
  /** Here-documents whose text begins after the line that is being read. */
  waiting: { end: string; plain: boolean; tabs: boolean; done(text: string | undefined): void }[]
  depth: number
}
