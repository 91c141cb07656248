/** What is asked in an approval, read from the words by which the server describes it. */
interface Asked {
  /** The tool and its folder: `bash in /work/notes`. */
  readonly head: string
  readonly fields: readonly { readonly name: string; readonly text: string }[]
  /** What it takes out of files and puts into them. */
  readonly changes: readonly ChangedLine[]
  readonly because: string | undefined
  /** Who wrote to whom before it came to this. */
  readonly lineage: readonly string[]
}

/** `@` says where in a file the next lines are. */
export interface ChangedLine {
  readonly sign: '+' | '-' | ' ' | '@'
  readonly text: string
}

const BECAUSE = 'Asked because '
const LINEAGE = 'It goes back to:'

/** Values of a call are set in or marked, so the first line that begins as one of ours is ours. */
export function readAsked(body: string): Asked {
  const [head = '', ...lines] = body.split('\n')
  const at = lines.findIndex((line) => line.startsWith(BECAUSE))
  const called = at < 0 ? lines : lines.slice(0, at)
  const [because, afterBecause] = at < 0 ? [[], []] : setIn(lines.slice(at))
  const [lineage, rest] = afterBecause[0] === LINEAGE ? setIn(afterBecause) : [[], afterBecause]
  return {
    head,
    fields: fieldsIn(called.filter((line) => !isMarked(line))),
    changes: [...called.filter(isMarked).map(markedLine), ...diffIn(rest)],
    because:
      at < 0
        ? undefined
        : because
            .map((line) => line.trim())
            .join(' ')
            .slice(BECAUSE.length),
    lineage: lineage.slice(1).map((line) => line.trim()),
  }
}

const telling = new Set(['command', 'path', 'url'])

/** The field that tells the call by itself; undefined where the title tells more. */
export const tellingField = ({ fields }: Asked): string | undefined =>
  fields.find(({ name }) => telling.has(name))?.text

/** A line with those below it that are set in, and what follows them. */
function setIn(lines: readonly string[]): readonly [readonly string[], readonly string[]] {
  const end = lines.findIndex((line, at) => at > 0 && !line.startsWith('  '))
  return end < 0 ? [lines, []] : [lines.slice(0, end), lines.slice(end)]
}

const isMarked = (line: string): boolean => /^[+-] /.test(line)

const markedLine = (line: string): ChangedLine => ({ sign: line[0] as '+' | '-', text: line.slice(2) })

/** The lines of a patch; its two lines that name a file stand together, so that a line that begins alike is none. */
const diffIn = (lines: readonly string[]): ChangedLine[] =>
  lines
    .filter((line, at) => line !== '' || at < lines.length - 1)
    .map((line, at) => {
      const names = line.startsWith('---')
        ? lines[at + 1]?.startsWith('+++')
        : line.startsWith('+++') && lines[at - 1]?.startsWith('---')
      if (names || line.startsWith('@@')) return { sign: '@', text: line }
      const sign = line[0]
      return sign === '+' || sign === '-' ? { sign, text: line.slice(1) } : { sign: ' ', text: line.replace(/^ /, '') }
    })

function fieldsIn(lines: readonly string[]): Asked['fields'] {
  const fields: { name: string; text: string }[] = []
  for (const line of lines) {
    const last = fields.at(-1)
    if (last && line.startsWith('  ')) last.text += `\n${line.slice(2)}`
    else {
      const [, name = '', text = line] = /^([^\s:]+): ?(.*)$/.exec(line) ?? []
      fields.push({ name, text })
    }
  }
  return fields
}
