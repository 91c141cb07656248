import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Core } from '../../src/core/base/core.ts'
import { findSession } from '../../src/store/sessions.ts'
import type { Question } from './job.ts'

interface Text {
  readonly type: string
  readonly text?: string
}

export const bareFile = (folder: string): string => join(folder, 'bare.db')

/** The floor: reads the rows from the file and parses each body. */
export function loadBare({ folder }: Question): readonly (readonly Text[])[] {
  const db = new DatabaseSync(bareFile(folder), { readOnly: true })
  const rows = db.prepare('select role, body from messages order by id').all() as { role: string; body: string }[]
  const messages = rows.map(({ role, body }) => ({ role, parts: JSON.parse(body) as Text[] }))
  db.close()
  return messages.map(({ parts }) => parts)
}

/** What a turn does before its first model call: the session's row, then its history through the cache. */
export async function loadOurs(core: Core, { sessionId }: Question): Promise<readonly (readonly Text[])[]> {
  const session = await findSession(core.store.read, sessionId)
  const { messages } = await core.histories.load(core, session!)
  return messages.map(({ parts }) => parts as readonly Text[])
}
