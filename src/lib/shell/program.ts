import type { Word } from './words.ts'

/** What is known about a program: what its options do and what its operands are. */
export interface Program {
  /**
   * Options with a meaning; one that is not named here is a flag. Behind the name: `:` takes a text, `=` may
   * have one attached, `<` takes a file to read, `>` one to write, `@` a text or the name of a file to read; `!` runs programs, writes files that its name says nothing of, or goes where nobody sent it;
   * `!!` does so and takes a value, `!>` writes the file that it takes, `!+` writes the operands. Options in one word (`-lO`) and the beginning of a long one are found too.
   */
  readonly options?: string
  /** Only the options above are known: any other counts as `!`. */
  readonly closed?: true
  /** Options are words behind one dash (`-name`), as for find and go. */
  readonly words?: true
  /** What the words are that are no options. */
  readonly operands?: Operands
  /** The last operand may be a folder into which the others are put. */
  readonly into?: true
  /** Folders are gone through: always, or with one of these options. */
  readonly deep?: true | readonly string[]
  /** Without an operand it works on the current folder. */
  readonly here?: true
  /** Reads or writes any file of the folder, whatever it is given; where only some options plant, with those. */
  readonly everywhere?: 'read' | 'write'
  /** May move or make links, so that later paths of the same line may lead elsewhere. */
  readonly plants?: true | readonly string[]
  /** Follows the links that are in a folder. */
  readonly follows?: true
  /** The first word may be options without a dash. */
  readonly letters?: true
  /** Where its paths lead by then is no matter: git follows no links, and code of the project reads what it likes. */
  readonly steady?: true
  /** The first operand chooses one of these; any other is unknown. */
  readonly commands?: Readonly<Record<string, Program>>
  /** The first operand is another repository, or the name of one. */
  readonly remote?: true
  /** Options end at the first operand: what follows belongs to the program that it names. */
  readonly ends?: true
  /** Flags that may stand before that operand. */
  readonly before?: readonly string[]
  /** What else to look at; says what is wrong with it and with which word. */
  check?(seen: Seen): Wrong | undefined
  /** Says what would spare the editor that it opens for a text it was not given; undefined when it opens none. */
  editor?(seen: Seen): string | undefined
}

/** The words of a command, sorted. */
export interface Seen {
  readonly words: readonly Word[]
  readonly operands: readonly Placed[]
  /** By their names as they were written, with one dash in front of a letter. */
  readonly options: readonly { readonly name: string; readonly value: Word | undefined; readonly at: number }[]
  /** Whether one of these options is there: a letter, or a long name that may have been shortened. */
  has(options: readonly string[]): boolean
}

interface Placed {
  readonly word: Word
  readonly at: number
}

export interface Wrong {
  readonly at: number
  readonly why: string
}

/**
 * text: no files. none: there are none. read, write, change: files; what is changed is read too. last: the last is written, the others read. pattern: a text,
 * then files to read. mode: a text, then files to write. single: one file to read; a second would be written.
 */
type Operands = 'text' | 'none' | 'read' | 'write' | 'change' | 'last' | 'pattern' | 'mode' | 'single'
