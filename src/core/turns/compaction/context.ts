import type { SessionId } from '../../../contract/ids.ts'
import type { Message } from '../../../contract/messages.ts'
import type { SessionContext } from '../../../contract/session-parts.ts'
import { findPrompt, readActive } from '../../../store/prompts.ts'
import { findSession } from '../../../store/sessions.ts'
import type { Core, History, Read } from '../../base/index.ts'
import { readView, weightOf, weightOfPart } from '../../sessions/index.ts'
import { schemasIn } from '../../tools/index.ts'
import { offeredTo } from '../offered.ts'
import { sessionPrompt } from '../views.ts'
import { canCompact } from './due.ts'
import { ASSUMED_WINDOW, promptTokens } from './size.ts'

/** Bytes of a token of English, without the caution that decides about a compaction. */
const BYTES = 4

/** What fills the window, by part, in estimated tokens. */
export async function sessionContext(core: Core, sessionId: SessionId, read: Read): Promise<SessionContext> {
  const { text: prompt } = await sessionPrompt(core, sessionId, read)
  const found = (await findSession(core.store.read, sessionId))!
  const { offer, model, runtime, project, settings } = await offeredTo(core, found)
  const kept = await findPrompt(core.store.read, sessionId)
  const schemas = schemasIn(offer, kept ? readActive(kept) : [])
  const [first] = (await runtime.models?.candidates(project, [model]))?.usable ?? []
  const known = first && (await runtime.models?.contextWindow(first))
  const window = known ?? ASSUMED_WINDOW
  // The log is read last, so that the position of the snapshot is the log's.
  const { session, history } = await read(async (db) => {
    const row = (await findSession(db, sessionId))!
    return { session: row, history: await readView(db, row) }
  })
  const around = { setup: { prompt }, schemas }
  const sizes = new Map([
    ['system prompt', Buffer.byteLength(prompt)],
    ['tools', Buffer.byteLength(JSON.stringify(schemas))],
    ...partsOf(history),
  ])
  const parts = [...sizes].map(([part, bytes]) => ({ part, tokens: Math.ceil(bytes / BYTES) }))
  return {
    model: session.model,
    parts,
    tokens: parts.reduce((sum, { tokens }) => sum + tokens, 0),
    ...(history.counted && { counted: history.counted.tokens }),
    next: promptTokens({ ...around, history }),
    window,
    windowKnown: known !== undefined,
    ...(canCompact({ runtime, model }) && { compactsAt: Math.floor(settings.compaction.at * window) }),
    summedTo: (history.compaction?.from_seq ?? 1) - 1,
    compactions: session.compaction_count,
  }
}

function partsOf({ messages, compaction }: History): Map<string, number> {
  const parts = new Map<string, number>()
  const add = (part: string, bytes: number): void => void parts.set(part, (parts.get(part) ?? 0) + bytes)
  for (const [at, message] of messages.entries()) {
    if (at === 0 && compaction?.summary) add('summary', weightOf(message))
    else for (const part of message.parts) add(labelOf(message, part), weightOfPart(part))
  }
  return parts
}

const labelOf = ({ role }: Message, { type }: Message['parts'][number]): string =>
  type === 'text' ? `${role} text` : type
