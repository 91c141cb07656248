import type { SessionId } from '../../contract/ids.ts'
import { quote } from '../../lib/shell/quote.ts'
import { knownMemory, memoryText, putMemoryFile } from '../../store/memory.ts'
import { findSession } from '../../store/sessions.ts'
import { type Core, type Project, transact } from '../base/index.ts'
import { notify } from '../inbox/index.ts'
import { differenceOf, KEPT_CHARS } from './difference.ts'
import { type Recalled, recallKnown } from './recall.ts'

const SHOWN = 10
/** Of so many files the notice shows what changed. */
const DIFFERENCES = 5

/** Looks whether files that a session is shown, by their sources, were changed from outside. */
export async function flagSeen(
  core: Core,
  { sessionId, project, agent }: { sessionId: SessionId; project: Project; agent: string },
  sources: readonly string[],
): Promise<void> {
  await flagEdited(core, sessionId, recallKnown(core, project, agent, sources))
}

/** One notice for all files whose text none of our processes wrote or has told of; from then on it is known. */
export async function flagEdited(core: Core, sessionId: SessionId, files: readonly Recalled[]): Promise<void> {
  const edited = await editedIn(core, files)
  if (edited.length === 0) return
  await transact(core, 'memory.flag', async (tx) => {
    const shown: string[] = []
    for (const { root, path, digest, whole, shown: name } of edited) {
      const place = { root, path, host: core.host }
      // What is kept has no secrets, so what it is compared with must have none.
      const text = tx.mask(whole)
      const difference = differenceOf(name, await memoryText(tx.db, place), text)
      if (difference !== undefined) shown.push(`${name}\n${quote(difference)}`)
      await putMemoryFile(tx.db, { ...place, digest, text: text.length > KEPT_CHARS ? null : text })
    }
    const session = await findSession(tx.db, sessionId)
    if (session) await notify(tx, session, noticeOf(edited, shown.slice(0, DIFFERENCES)))
  })
}

async function editedIn(core: Core, files: readonly Recalled[]): Promise<Recalled[]> {
  const found = await Promise.all(
    [...Map.groupBy(files, ({ root }) => root)].map(async ([root, some]) => {
      const paths = some.map(({ path }) => path)
      const known = await knownMemory(core.store.read, root, paths)
      return some.filter(({ path, digest }) => digest !== '' && !known.has(`${path} ${digest}`))
    }),
  )
  return found.flat()
}

function noticeOf(files: readonly Recalled[], differences: readonly string[]): { title: string; body: string } {
  const named = files.slice(0, SHOWN).map(({ shown }) => shown)
  const more = files.length > SHOWN ? [`and ${files.length - SHOWN} more`] : []
  const changed = differences.length === 0 ? '' : `What changed:\n${differences.join('\n')}\n`
  return {
    title: `Memory was changed from outside: ${files.length === 1 ? named[0] : `${files.length} files`}`,
    body: `Agents take it for what they remember:\n${[...named, ...more].join('\n')}\n${changed}If you, or somebody you trust, wrote it, there is nothing to do. "troupe memory show" shows a file.`,
  }
}
