import type { Routes } from '../../contract/routes/index.ts'
import { deliver } from '../../core/mail/index.ts'
import { deleteMessage, editMessage, findInLog, listMessages } from '../../core/sessions/index.ts'
import type { ServerParts } from '../context.ts'
import { isPerson } from '../guard/rights.ts'
import type { Handlers } from '../handlers.ts'
import { snapshot, snapshotAside } from '../live/snapshot.ts'
import { replyTo } from './mail.ts'
import { idOf } from './sessions.ts'

export const messageHandlers = ({ core, closing }: ServerParts): Handlers<Routes['messages']> => ({
  'GET /api/sessions/{ref}/messages': async ({ c, query: { after = 0, cursor = after, limit, newest, before } }) => {
    const sessionId = await idOf(core, c)
    const page = {
      after: cursor,
      before,
      newest: newest === true || before !== undefined,
      limit,
      forPeople: isPerson(c.var.caller),
    }
    return snapshot(core, c)((db) => listMessages(core, sessionId, page, db))
  },
  'GET /api/sessions/{ref}/found': async ({ c, query: { text, cursor, limit } }) => {
    const sessionId = await idOf(core, c)
    return snapshotAside(core, c)((db) => findInLog(db, sessionId, { text, before: cursor, limit }))
  },
  'POST /api/sessions/{ref}/messages': async ({ c, body: { wait, ...message } }) => {
    const receipt = await deliver(core, { ...message, to: await idOf(core, c), from: { kind: 'human' } })
    const reply = await replyTo(core, receipt, wait, AbortSignal.any([c.req.raw.signal, closing]))
    c.status(reply.ended ? 200 : 202)
    return reply
  },
  'PATCH /api/sessions/{ref}/messages/{id}': async ({ c, params: { id }, body: { text } }) =>
    editMessage(core, await idOf(core, c), id, text),
  'DELETE /api/sessions/{ref}/messages/{id}': async ({ c, params: { id } }) =>
    deleteMessage(core, await idOf(core, c), id),
})
