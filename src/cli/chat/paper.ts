/** Prints above the frame. Kinds that belong together follow each other; all others get a free line before them. */
export interface Paper {
  print(kind: Kind, lines: readonly string[]): void
}

type Kind = 'text' | 'more-text' | 'person' | 'calls' | 'remark' | 'command'

export function openPaper(out: (lines: readonly string[]) => void): Paper {
  let last: Kind | undefined
  return {
    print(kind, lines) {
      if (lines.length === 0) return
      const together =
        kind === 'more-text' ||
        (kind === 'calls' && last === 'calls') ||
        (kind === 'remark' && (last === 'remark' || last === 'command'))
      out(last && !together ? ['', ...lines] : lines)
      last = kind
    },
  }
}
