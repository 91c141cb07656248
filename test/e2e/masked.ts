const speakers = ['lead', 'coder', 'lost', 'twin', 'coordinator', 'Ben']

/** What differs from run to run is replaced: handles, times, costs of a moment, the folder of this machine. */
export function masksOf(project: string) {
  function masked(screen: string): string {
    const handles = new Map<string, string>()
    const names = ['1a2b', '4f2a', '6fe8', '9c01']
    const known = (handle: string): string =>
      handles.get(handle) ?? handles.set(handle, names[handles.size] ?? '0000').get(handle)!
    return screen
      .replaceAll(project, '/home/you/project')
      .split('\n')
      .map((line) => {
        const plain = line
          .replace(new RegExp(`\\b(${speakers.join('|')}) ([0-9a-f]{4,8})\\b`, 'g'), (_, agent, handle) =>
            [agent, known(handle)].join(' '),
          )
          .replace(/\b(run|runs show) [0-9a-f]{8}\b/g, '$1 5e6f7a8b')
          .replace(/\b(run|node)_[0-9a-f]{24}\b/g, '$1_5e6f7a8b5e6f7a8b5e6f7a8b')
          .replace(/\b\d+(\.\d)? m?s\b/g, '1.2 s')
          .replace(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/g, '⠋')
        // What stands at the right edge stays there.
        return plain.replace(/ {3,}(?=\S[^ ]* ?\S*.*$)/, (gap) => gap.padEnd(gap.length + line.length - plain.length))
      })
      .join('\n')
      .trimEnd()
      .concat('\n')
  }

  return {
    masked,
    /** The times of a tree stand in a column of their own. */
    timeless: (screen: string): string =>
      masked(screen.replace(/\b(?:\d+(?:\.\d)? m?s|\d+m \d\ds) {2,}(?=\S)/g, '1.2 s    ')),
    /** The screen from these words on, without the lines that change by themselves. */
    wordsFrom: (words: string, screen: string): string => masked(screen.slice(screen.indexOf(`› ${words}`))),
  }
}
