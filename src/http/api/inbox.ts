import type { InboxAnswer, InboxItem } from '../../contract/inbox.ts'
import type { Routes } from '../../contract/routes/index.ts'
import { presenceNow, setPresence } from '../../core/inbox/index.ts'
import { answerInbox, dismissInbox, listInbox, pauseAll, resumeAll } from '../../core/steering/index.ts'
import type { ServerParts } from '../context.ts'
import { type Caller, callerName } from '../guard/auth.ts'
import type { Handlers } from '../handlers.ts'
import { snapshot } from '../live/snapshot.ts'
import { scopeOf } from './project.ts'

export const inboxHandlers = (face: ServerParts): Handlers<Routes['inbox']> => ({
  'GET /api/inbox': ({ c, query: { project: _, ...query } }) => {
    const project = scopeOf(face.core, c, '*')
    return snapshot(face.core, c)((db) => listInbox(face.core, { ...query, project }, db))
  },
  'POST /api/inbox/{id}/answer': ({ c, params: { id }, body }) => answerItem(face, c.var.caller, id, body),
  'POST /api/inbox/{id}/dismiss': ({ c, params: { id } }) => dismissInbox(face.core, id, callerName(c.var.caller)),
  'GET /api/presence': ({ c }) => snapshot(face.core, c)((db) => presenceNow(face.core, db)),
  'POST /api/presence': ({ body }) => setPresence(face.core, body),
  'POST /api/pause': ({ c }) => pauseAll(face.core, callerName(c.var.caller)),
  'POST /api/resume': ({ c }) => resumeAll(face.core, callerName(c.var.caller)),
})

/** Takes the person's answer. A decision about what an agent may do is also a line in the security log. */
export async function answerItem(
  face: ServerParts,
  caller: Caller,
  id: string,
  answer: InboxAnswer,
): Promise<InboxItem> {
  const item = await answerInbox(face.core, id, answer, callerName(caller))
  const by = callerName(caller)
  if ('decision' in answer) face.security('approval', 'inbox', `${id}: ${answer.decision} by ${by}: ${item.title}`, by)
  return item
}
