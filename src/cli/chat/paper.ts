/** Prints above the frame; kinds that belong together stay together, everything else has a free line before it. */
export interface Paper {
  print(kind: Kind, lines: readonly string[]): void
}

export type Kind = 'text' | 'more-text' | 'person' | 'calls' | 'remark' | 'command'

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
