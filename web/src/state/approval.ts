/** The text of an approval, taken apart: what would be done where, why it is asked, on whose behalf. */
export interface ApprovalText {
  /** `bash in /work/notes` */
  readonly head: string
  readonly lines: readonly ApprovalLine[]
  readonly because: string | undefined
  readonly lineage: readonly string[]
  /** How many lines were left out. */
  readonly more: number
}

export interface ApprovalLine {
  readonly look: 'plain' | 'add' | 'take' | 'place'
  readonly text: string
}

/** More lines than this are read in a file, not in a question. */
const SHOWN = 1500
/** A line without an end would freeze the page. */
const LINE = 2000

export function readApproval(body: string): ApprovalText {
  const [head = '', ...rest] = body.split('\n')
  const because = rest.findIndex((line) => line.startsWith('Asked because '))
  const about = because < 0 ? rest : rest.slice(0, because)
  const after = because < 0 ? [] : rest.slice(because + 1)
  const back = after.indexOf('It goes back to:')
  const lineage = back < 0 ? [] : takeWhile(after.slice(back + 1), (line) => line.startsWith('  '))
  const tail = back < 0 ? after : after.slice(back + 1 + lineage.length)
  const lines = [...about, ...tail].filter((line, at, all) => line !== '' || at < all.length - 1)
  return {
    head,
    lines: lines.slice(0, SHOWN).map(readLine),
    because: because < 0 ? undefined : rest[because]!.replace(/^Asked /, ''),
    lineage: lineage.map((line) => line.trim()),
    more: Math.max(0, lines.length - SHOWN),
  }
}

function readLine(line: string): ApprovalLine {
  const text = line.length > LINE ? `${line.slice(0, LINE)} … (${line.length - LINE} more characters)` : line
  if (/^@@|^(---|\+\+\+) /.test(line)) return { look: 'place', text }
  if (line.startsWith('+')) return { look: 'add', text: text.slice(1) }
  return line.startsWith('-') ? { look: 'take', text: text.slice(1) } : { look: 'plain', text }
}

function takeWhile(lines: readonly string[], fits: (line: string) => boolean): readonly string[] {
  const end = lines.findIndex((line) => !fits(line))
  return end < 0 ? lines : lines.slice(0, end)
}
