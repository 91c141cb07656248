/** One word of a command as bash will hand it to the program. */
export interface Word {
  /** Exactly what the program gets; where that is known only when the command runs, the word as it was written. */
  readonly text: string
  readonly known: boolean
  /** One of the names that a pattern stands for; which of them comes first depends on the language. */
  readonly found?: true
  /** Not known, and perhaps several words, or none. */
  readonly splits?: true
  /** Not known, and perhaps an option. */
  readonly leads?: true
}

export const literal = (text: string): Word => ({ text, known: true })

/** A text in a form that bash reads back as itself: what rules are compared with and what a person approves. */
export const quoted = (text: string): string =>
  /^[\p{L}\p{N}\p{M}_@%+=:,./^-][\p{L}\p{N}\p{M}_@%+=:,./^~-]*$/u.test(text)
    ? text
    : `'${text.replaceAll("'", "'\\''")}'`

/** The name of the program, without its folder. */
export const programName = (word: Word | undefined): string | undefined =>
  word?.known ? word.text.slice(word.text.lastIndexOf('/') + 1) : undefined
