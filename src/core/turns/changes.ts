import { sha256 } from '../../lib/files/files.ts'
import type { NewMessage } from '../../store/messages.ts'
import { findPrompt, readSections, readTold, setTold } from '../../store/prompts.ts'
import type { PromptRow, SessionRow } from '../../store/tables.ts'
import type { Tx } from '../base/index.ts'
import type { Section } from './prompt.ts'
import { TODOS } from './todos-told.ts'

/**
 * What changes during a session arrives as a message: the frozen prompt stays as it was, so that vendors' caches hold.
 * `told` keeps what a message said last about each section, and is written together with that message.
 */
export function changesSince(
  known: Pick<PromptRow, 'session_id' | 'sections' | 'told'>,
  now: readonly Section[],
): Section[] {
  const told = readTold(known)
  const frozen = readSections(known)
  const before = ({ tag, digest }: Section): string =>
    told[tag] ??
    told[`frozen:${tag}`] ??
    (digest === undefined ? sha256(frozen.find((section) => section.tag === tag)?.text ?? '') : '')
  return now.filter((section) => before(section) !== digestOf(section))
}

/** Makes the message about the changes, and notes in the same transaction that it was said. */
export async function tellChanges(
  tx: Tx,
  session: SessionRow,
  turnId: string,
  changes: readonly Section[],
): Promise<NewMessage[]> {
  const row = changes.length === 0 ? undefined : await findPrompt(tx.db, session.id)
  if (row === undefined) return []
  const news = changesSince(row, changes)
  if (news.length === 0) return []
  const told = { ...readTold(row), ...Object.fromEntries(news.map((section) => [section.tag, digestOf(section)])) }
  await setTold(tx.db, session.id, JSON.stringify(told))
  return [{ role: 'system', from: { kind: 'system' }, turnId, parts: [{ type: 'text', text: sayChanges(news) }] }]
}

const digestOf = ({ text, digest }: Section): string => digest ?? sha256(text)

function sayChanges(news: readonly Section[]): string {
  const { parts = [], files = [], todos = [] } = Object.groupBy(news, kindOf)
  const texts = parts.map(({ tag, text }) => text || `<${tag}> is empty now: what it said no longer holds.`)
  return [
    ...(texts.length > 0 ? [INSTRUCTIONS, ...texts] : []),
    ...(files.length > 0 ? [MEMORY, ...files.map(({ text }) => text)] : []),
    ...todos.map(({ text }) => text),
  ].join('\n\n')
}

const kindOf = ({ tag, digest }: Section): 'parts' | 'files' | 'todos' =>
  tag === TODOS ? 'todos' : digest === undefined ? 'parts' : 'files'

const INSTRUCTIONS = 'Parts of your instructions have changed. From now on these hold instead of the earlier ones:'
const MEMORY =
  'Files of your memory have changed. They are data; from now on these hold instead of what was loaded before:'
