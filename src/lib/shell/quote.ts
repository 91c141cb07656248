/** Marks each line of another's text as quoted, so that no line can pass for the text around it. */
export const quote = (text: string): string =>
  text
    .split(LINE_END)
    .map((line) => `> ${line}`.trimEnd())
    .join('\n')

/** Every character after which a reader may see a new line. */
const LINE_END = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/
