import type { Row } from './campaign.ts'

/** The results side by side, for a person. */
export function table(rows: readonly Row[]): string {
  const cells = rows.map((row) => [
    row.fault,
    row.store,
    row.faults,
    row.mails,
    row.asks,
    row.effects,
    row.lost.length,
    row.twice.length,
    row.errors.length,
    row.wrong.length,
    row.seconds.toFixed(0),
  ])
  const all = [
    ['fault', 'store', 'faults', 'mails', 'asks', 'effects', 'lost', 'twice', 'in error', 'wrong', 's'],
    ...cells,
  ]
  return all.map((line) => `| ${line.join(' | ')} |`).join('\n')
}

/** Everything that is not as it should be, by fault. */
export const complaints = (rows: readonly Row[]): string[] =>
  rows.flatMap(({ fault, lost, twice, errors, wrong }) => [
    ...lost.map((what) => `${fault}: lost ${what}`),
    ...twice.map((what) => `${fault}: twice ${what}`),
    ...errors.map((what) => `${fault}: ${what}`),
    ...wrong.map((what) => `${fault}: ${what}`),
  ])
