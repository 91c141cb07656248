/** A heading of a Markdown file and the text below it. */
interface Section {
  /** The headings above it too: `Food > Bread`. */
  readonly heading: string
  readonly body: string
}

const BODY_CHARS = 4000
const HEADING_CHARS = 200
const SECTIONS = 20_000

const heading = /^(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$/
const fence = /^[ \t]{0,3}(`{3,}|~{3,})/

/** Splits a file at its headings; what is written before the first one is a section too, and a long one is several. */
export function splitSections(text: string): Section[] {
  const sections: Section[] = []
  const above: string[] = []
  let lines: string[] = []
  let fenced: string | undefined
  const close = (): void => {
    const named = above.filter(Boolean).join(' > ').slice(0, HEADING_CHARS)
    for (const body of pieces(lines.join('\n').trim())) sections.push({ heading: named, body })
    if (lines.join('').trim() === '' && named !== '') sections.push({ heading: named, body: '' })
    lines = []
  }
  for (const line of text.split(/\r?\n/)) {
    const mark = fence.exec(line)?.[1]?.[0]
    const found = fenced === undefined ? heading.exec(line) : null
    if (mark !== undefined && (fenced === undefined || fenced === mark))
      fenced = fenced === undefined ? mark : undefined
    if (found === null) {
      lines.push(line)
      continue
    }
    close()
    const depth = found[1]!.length
    above.length = Math.min(above.length, depth - 1)
    above[depth - 1] = found[2]!
    if (sections.length >= SECTIONS) return sections
  }
  close()
  return sections
}

function pieces(body: string): string[] {
  const found: string[] = []
  for (let at = 0; at < body.length; ) {
    const end = at + BODY_CHARS >= body.length ? body.length : lineEnd(body, at, at + BODY_CHARS)
    found.push(body.slice(at, end).trim().toWellFormed())
    at = end
  }
  return found.filter(Boolean)
}

/** The last end of a line before the limit; the limit itself where a line is longer. */
function lineEnd(body: string, from: number, limit: number): number {
  const end = body.lastIndexOf('\n', limit)
  return end > from ? end : limit
}
