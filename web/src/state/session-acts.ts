import type { ChangeSession, Reply } from '../../../src/contract/api.ts'
import type { Session } from '../../../src/contract/sessions.ts'
import { server } from '../live/server.ts'

/** What a person does with a session. Each throws where the server refuses. */

/** A page of matches is at most 200, or what stands in 5,000 messages. */
const FIND_PAGES = 5

const to = (ref: string) => ({ params: { ref } })

export const stopTurn = (ref: string): Promise<Session> => server.call('POST /api/sessions/{ref}/cancel', to(ref))
export const pauseSession = (ref: string): Promise<Session> => server.call('POST /api/sessions/{ref}/pause', to(ref))
export const resumeSession = (ref: string): Promise<Session> => server.call('POST /api/sessions/{ref}/resume', to(ref))
export const closeSession = (ref: string): Promise<Session> => server.call('POST /api/sessions/{ref}/close', to(ref))
export const reopenSession = (ref: string): Promise<Session> => server.call('POST /api/sessions/{ref}/reopen', to(ref))
export const clearSession = (ref: string): Promise<Session> => server.call('POST /api/sessions/{ref}/clear', to(ref))
export const deleteSession = (ref: string): Promise<Session> => server.call('DELETE /api/sessions/{ref}', to(ref))
export const compactSession = (ref: string): Promise<Session> =>
  server.call('POST /api/sessions/{ref}/compact', to(ref))

export const changeSession = (ref: string, body: ChangeSession): Promise<Session> =>
  server.call('PATCH /api/sessions/{ref}', { params: { ref }, body })

/** How it is to be read: at the next safe point, after this turn, or now. */
export type How = 'send' | 'queue' | 'interrupt'

export const say = (ref: string, content: string, how: How, clientId: string): Promise<Reply> =>
  server.call('POST /api/sessions/{ref}/messages', {
    params: { ref },
    body: {
      content,
      clientId,
      ...(how === 'queue' && { followup: true }),
      ...(how === 'interrupt' && { interrupt: true }),
    },
  })

export const markRead = (ref: string, seq: number): Promise<unknown> =>
  server.call('POST /api/sessions/{ref}/read', { params: { ref }, body: { seq } }).catch(() => {})

/** Where the log has these words, the newest first. `more`: there are further ones that are older. */
export async function findInLog(ref: string, text: string): Promise<{ seqs: readonly number[]; more: boolean }> {
  const seqs: number[] = []
  let cursor: number | undefined
  for (let page = 0; page < FIND_PAGES; page += 1) {
    const query = { text, limit: 200, ...(cursor !== undefined && { cursor }) }
    const { items, nextCursor } = await server.call('GET /api/sessions/{ref}/found', { params: { ref }, query })
    seqs.push(...items.map(({ seq }) => seq))
    if (nextCursor === undefined) return { seqs, more: false }
    cursor = Number(nextCursor)
  }
  return { seqs, more: true }
}

export const forkAt = (ref: string, at?: string): Promise<Session> =>
  server.call('POST /api/sessions/{ref}/fork', { params: { ref }, body: at === undefined ? {} : { at } })

/** A copy whose history ends before the message. */
export const forkBefore = (ref: string, before: string): Promise<Session> =>
  server.call('POST /api/sessions/{ref}/fork', { params: { ref }, body: { before } })

export const editMessage = (ref: string, id: string, text: string): Promise<unknown> =>
  server.call('PATCH /api/sessions/{ref}/messages/{id}', { params: { ref, id }, body: { text } })

export const deleteMessage = (ref: string, id: string): Promise<unknown> =>
  server.call('DELETE /api/sessions/{ref}/messages/{id}', { params: { ref, id } })

/** The whole log as a file of the browser. */
export async function exportSession(ref: string, handle: string): Promise<void> {
  const text = await server.call('GET /api/sessions/{ref}/export', { params: { ref }, query: { format: 'md' } })
  const url = URL.createObjectURL(new Blob([String(text)], { type: 'text/markdown' }))
  const link = Object.assign(document.createElement('a'), { href: url, download: `${handle}.md` })
  link.click()
  URL.revokeObjectURL(url)
}

/** Puts a file into the workspace and says where it is. */
export async function uploadFile(ref: string, file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  const { path } = await server.call('POST /api/sessions/{ref}/uploads', {
    params: { ref },
    body: { name: file.name, data: base64(bytes) },
  })
  return path
}

const STEP = 32_768

function base64(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += STEP) text += String.fromCharCode(...bytes.subarray(at, at + STEP))
  return btoa(text)
}
