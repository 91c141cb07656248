import { add, inputAt, lastWords, type Seed, said } from './job.ts'

/** Checks that every message of every turn is on disk, in order and with the right text; otherwise the run is void. */
export function check(
  talk: string,
  history: readonly Seed[],
  turns: readonly number[],
  log: readonly { role: string; body: string }[],
): void {
  // What the system reminds the model of belongs to no exchange.
  const stored = log.filter(({ role }) => role !== 'system')
  const expected = [...history.map(({ role, text }) => ({ role: role as string, text })), ...turns.flatMap(turnOf)]
  if (stored.length !== expected.length) {
    throw new Error(`${talk}: ${stored.length} messages are on disk, ${expected.length} were exchanged.`)
  }
  for (const [at, { role, text }] of expected.entries()) {
    const row = stored[at]!
    if (row.role !== role || !row.body.includes(text)) {
      throw new Error(`${talk}: message ${at} should be "${text}" (${role}); on disk is ${row.role} ${row.body}`)
    }
  }
}

function turnOf(calls: number): { role: string; text: string }[] {
  const steps = Array.from({ length: calls - 1 }, (_, step) => [
    { role: 'assistant', text: said(step) },
    { role: 'tool', text: add(inputAt(step)) },
  ])
  return [{ role: 'user', text: 'bench ' }, ...steps.flat(), { role: 'assistant', text: lastWords(calls) }]
}
