/** The known word that was probably meant: one that begins like it, or one with few letters changed. */
export function closest(word: string, known: readonly string[]): string | undefined {
  const typed = word.toLowerCase()
  if (typed.length < SHORTEST) return undefined
  const begun = known.filter((name) => name.toLowerCase().startsWith(typed))
  if (begun.length === 1) return begun[0]
  const most = Math.ceil(typed.length / LETTERS_A_SLIP)
  const near = known
    .map((name) => ({ name, slips: slipsBetween(typed, name.toLowerCase()) }))
    .filter(({ slips }) => slips <= most)
  return near.sort((a, b) => a.slips - b.slips)[0]?.name
}

const LISTED = 50

/** A hint for somebody who named what is not there: what was probably meant, and what there is. */
export function suggestion(word: string, known: readonly string[], opening: string): string {
  const meant = closest(word, known)
  const list = `${opening}: ${known.slice(0, LISTED).join(', ')}.`
  return meant === undefined ? list : `Did you mean "${meant}"? ${list}`
}

const SHORTEST = 3
const LETTERS_A_SLIP = 4
/** Nobody mistypes a word of this length so little that a guess helps, and the table below grows with its square. */
const LONGEST = 64

/** Letters added, left out, changed, or swapped with their neighbour. */
function slipsBetween(a: string, b: string): number {
  if (a.length > LONGEST || b.length > LONGEST) return Number.POSITIVE_INFINITY
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, at) => at)]
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row[j] = Math.min(
        rows[i - 1]![j]! + 1,
        row[j - 1]! + 1,
        rows[i - 1]![j - 1]! + same,
        swapped ? rows[i - 2]![j - 2]! + 1 : Number.POSITIVE_INFINITY,
      )
    }
    rows.push(row)
  }
  return rows[a.length]![b.length]!
}
