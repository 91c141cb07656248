/** Control, bidirectional and invisible characters, and blanks that are none of the keyboard's; but not the line feed. */
const HIDDEN = /[^\P{C}\n]|\p{Default_Ignorable_Code_Point}|(?! )\p{Z}/gu

/** What no text needs: the joiners and selectors of scripts and emoji, and tabs, are left. */
const HARMFUL =
  /(?![\n\t])\p{Cc}|\p{Bidi_Control}|(?!\u200c|\u200d|[\ufe00-\ufe0f])\p{Default_Ignorable_Code_Point}|[\u2028\u2029\ufff9-\ufffb]/gu

/** Shows hidden characters as escapes, so that the text a person approves is the text that runs. */
export const visible = (text: string): string => text.replace(HIDDEN, escaped)

/** The same for words that are only read: what scripts and emoji need stays as it is. */
export const legible = (text: string): string => text.replace(HARMFUL, escaped)

const escaped = (character: string): string => `\\u{${character.codePointAt(0)!.toString(16)}}`

/** The same JSON with hidden characters escaped: it says the same to a program, and nothing to a terminal. */
export const visibleJson = (json: string): string =>
  json.replace(HIDDEN, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  )

/**
 * Text of models, tools and files without what could move a cursor, change a title, turn the reading direction or hide
 * one word behind another.
 */
export const clean = (text: string): string => text.replace(HARMFUL, '')

/** The same, but marks that `keep` finds stay; its first group is what becomes of them. */
export const cleanBut = (text: string, keep: RegExp, kept: (mark: string) => string): string =>
  text.replace(new RegExp(`${keep.source}|${HARMFUL.source}`, 'gu'), (_, mark?: string) => (mark ? kept(mark) : ''))
