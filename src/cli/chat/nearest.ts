/** The word that someone who typed `typed` most likely meant; undefined when none is close. */
export function nearest(typed: string, words: readonly string[]): string | undefined {
  const close = words
    .map((word) => ({ word, away: distance(typed, word) }))
    .filter(({ word, away }) => away <= Math.max(1, Math.floor(word.length / 3)))
  return close.toSorted((a, b) => a.away - b.away)[0]?.word
}

/** How many letters have to be put in, taken out, replaced or swapped with their neighbour. */
function distance(from: string, to: string): number {
  const rows = [Array.from({ length: to.length + 1 }, (_, at) => at)]
  for (let at = 1; at <= from.length; at += 1) {
    const above = rows[at - 1]!
    const row = [at]
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[at - 1] === to[column - 1]
      const swapped = at > 1 && column > 1 && from[at - 1] === to[column - 2] && from[at - 2] === to[column - 1]
      row.push(
        Math.min(
          above[column]! + 1,
          row[column - 1]! + 1,
          above[column - 1]! + (same ? 0 : 1),
          swapped ? rows[at - 2]![column - 2]! + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
    rows.push(row)
  }
  return rows[from.length]![to.length]!
}
