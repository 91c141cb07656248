/**
 * Names for statements that are run again and again: PostgreSQL keeps what it parsed under the name, on each connection,
 * and plans it once for all values. So many, because it keeps them as long as the connection lasts.
 */
const NAMES_KEPT = 200

const names = new Map<string, string>()
let made = 0

/** Whoever builds a statement once for many runs says so here. */
export function nameStatement(text: string): void {
  if (!names.has(text) && names.size < NAMES_KEPT) names.set(text, `t${++made}`)
}

/** The statement as the driver takes it; one without a name is parsed each time. */
export const asNamed = (text: string, values: readonly unknown[]) => {
  const name = names.get(text)
  return name === undefined ? { text, values: [...values] } : { name, text, values: [...values] }
}

/** A table was changed by a newer program: what was kept no longer fits. Under new names it is parsed anew. */
export function renameStatements(): void {
  for (const text of names.keys()) names.set(text, `t${++made}`)
}
