import type { SessionId } from '../../contract/ids.ts'
import { findPrompt, readTold, setTold } from '../../store/prompts.ts'
import type { Db } from '../../store/tables.ts'

/** The keys under which a session's prompt notes which text of a memory file it was told last. */
export const toldKey = (source: string): string => `memory:${source}`
export const frozenKey = (source: string): string => `frozen:${toldKey(source)}`

/** The digest of the text that the session knows; empty where it knows none. */
const knownDigest = (told: Readonly<Record<string, string>>, source: string): string =>
  told[toldKey(source)] ?? told[frozenKey(source)] ?? ''

/** The files of which a session knows a text, by their sources. */
export const knownSources = (told: Readonly<Record<string, string>>): string[] => [
  ...new Set(
    Object.keys(told)
      .filter((key) => /^(frozen:)?memory:/.test(key))
      .map((key) => key.slice(key.indexOf('memory:') + 'memory:'.length)),
  ),
]

/** A session that changed what it knew knows the new text: it need not be told what it wrote itself. */
export async function knowOwnWrite(
  db: Db,
  sessionId: SessionId,
  { source, before, after }: { source: string; before: string; after: string },
): Promise<void> {
  const row = await findPrompt(db, sessionId)
  if (row === undefined) return
  const told = readTold(row)
  if (knownDigest(told, source) !== before) return
  await setTold(db, sessionId, JSON.stringify({ ...told, [toldKey(source)]: after }))
}
