/** The words of another, each line marked as theirs, so that none of them can pass for the words around them. */
export const quote = (text: string): string =>
  text
    .split(LINE_END)
    .map((line) => `> ${line}`.trimEnd())
    .join('\n')

/** Whatever a reader may take for the beginning of a line. */
const LINE_END = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/
