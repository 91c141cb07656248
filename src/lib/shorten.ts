/** One line of at most `length` characters. */
export function shorten(text: string, length: number): string {
  const line = text.length > length * 2 ? text.slice(0, length * 2) : text
  const flat = line.replace(/\s+/g, ' ')
  return flat.length <= length ? flat : `${flat.slice(0, length - 1)}…`
}
