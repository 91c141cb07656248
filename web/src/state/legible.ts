/** What turns the reading direction or hides between letters, and no text needs; joiners of scripts and emoji stay. */
const HARMFUL =
  /\p{Bidi_Control}|(?!\u200c|\u200d|[\ufe00-\ufe0f])\p{Default_Ignorable_Code_Point}|[\u2028\u2029\ufff9-\ufffb]/gu

/** More signs on one letter than any script has: they would cover the lines around it, and take seconds to draw. */
const PILED = /(\p{M}{12})\p{M}+/gu

/** The text of others with its tricks in sight: `gnp.exe` never reads as `exe.png`. */
export const legible = (text: string): string =>
  text.replace(HARMFUL, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`).replace(PILED, '$1…')
