import type { SessionId } from '../contract/ids.ts'
import { prepared } from './drivers/prepared.ts'
import { isObject, readJson } from './drivers/unreadable.ts'
import type { Db, PromptRow } from './tables.ts'

export async function findPrompt(db: Db, sessionId: SessionId): Promise<PromptRow | undefined> {
  return (await selectRow(db, sessionId))[0]
}

const selectRow = prepared((db, sessionId: SessionId) =>
  db.selectFrom('prompts').selectAll().where('session_id', '=', sessionId),
)

export async function putPrompt(db: Db, row: PromptRow): Promise<void> {
  await putRow(db, row)
}

const putRow = prepared((db, row: PromptRow) =>
  db
    .insertInto('prompts')
    .values(row)
    .onConflict((conflict) => conflict.column('session_id').doUpdateSet(row)),
)

/** Lets the next turn make the prompt anew. `told` stays, because the messages that said it stay in the log. */
export async function thawPrompt(db: Db, sessionId: SessionId): Promise<void> {
  await db.updateTable('prompts').set({ key: '' }).where('session_id', '=', sessionId).execute()
}

/** Lets the next turn make the prompt anew, and forgets what messages told: they are no longer read. */
export async function renewPrompt(db: Db, sessionId: SessionId): Promise<void> {
  await db.updateTable('prompts').set({ key: '', told: '{}' }).where('session_id', '=', sessionId).execute()
}

export async function setTold(db: Db, sessionId: SessionId, told: string): Promise<void> {
  await db.updateTable('prompts').set({ told }).where('session_id', '=', sessionId).execute()
}

export async function setActive(db: Db, sessionId: SessionId, names: readonly string[]): Promise<void> {
  await db
    .updateTable('prompts')
    .set({ active: JSON.stringify(names) })
    .where('session_id', '=', sessionId)
    .execute()
}

export async function deletePrompt(db: Db, sessionId: SessionId): Promise<void> {
  await db.deleteFrom('prompts').where('session_id', '=', sessionId).execute()
}

export const readSections = ({ session_id, sections }: Pick<PromptRow, 'session_id' | 'sections'>): PromptSection[] =>
  readJson({ table: 'prompts', key: session_id, column: 'sections' }, sections, areSections, [])

/** The digest of what a message said last about each section. */
export const readTold = ({ session_id, told }: Pick<PromptRow, 'session_id' | 'told'>): Record<string, string> =>
  readJson({ table: 'prompts', key: session_id, column: 'told' }, told, areDigests, {})

export const readActive = ({ session_id, active }: Pick<PromptRow, 'session_id' | 'active'>): string[] =>
  readJson({ table: 'prompts', key: session_id, column: 'active' }, active, areNames, [])

interface PromptSection {
  readonly tag: string
  readonly text: string
  readonly tokens: number
}

const areSections = (value: unknown): boolean =>
  Array.isArray(value) && value.every((section) => isObject(section) && typeof section.text === 'string')

const areNames = (value: unknown): boolean => Array.isArray(value) && value.every((name) => typeof name === 'string')

const areDigests = (value: unknown): boolean =>
  isObject(value) && Object.values(value).every((digest) => typeof digest === 'string')
