import type { Client } from '../client/client.ts'
import type { InboxAnswer, InboxItem } from '../contract/inbox.ts'
import { asCalled, troupe } from './called.ts'
import { usage } from './failure.ts'
import { paint } from './print.ts'

export const openItems = (client: Client): Promise<InboxItem[]> =>
  client.all('GET /api/inbox', { query: { status: 'open', project: '*' } })

/** The open item of an id, whatever else is open. */
export const openItem = async (client: Client, id: string): Promise<InboxItem | undefined> =>
  (await client.call('GET /api/inbox', { query: { status: 'open', project: '*', id, limit: 5 } })).items.find(
    (item) => item.id === id,
  )

/**
 * As much of the id as a person needs to type, without the "inbox_" that all ids begin with. An id that begins with a
 * word is whole: others begin with the same word.
 */
export function shortId({ id }: InboxItem): string {
  const own = id.replace(/^inbox_/, '')
  return own.includes('_') ? own : own.slice(0, 8)
}

/** The item as a person reads it. */
export function describe(item: InboxItem): string {
  const who = senderOf(item)
  const options = (item.options ?? []).map((option, index) => `  ${index + 1}. ${option}`)
  const body = item.kind === 'notice' ? asCalled(item.body) : item.body
  const lines = [item.title, ...(item.body === item.title ? [] : [body]), ...options]
  return `${paint('bold', item.kind)} from ${who}: ${lines.filter(Boolean).join('\n')}`
}

/** Who it is from, by the name and handle that it has in its lineage. */
export const senderOf = ({ from, lineage }: InboxItem): string =>
  lineage.find(({ kind, handle }) => kind === 'session' && handle !== undefined && handle === from.handle)?.label ??
  [from.agent ?? from.kind, from.handle].filter(Boolean).join(' ')

/** Who asks, after those on whose behalf it asks: `assistant 1a2b › writer 6fe8`. */
export const lineagePath = ({ lineage, from }: InboxItem): string => {
  const sessions = lineage.filter(({ kind }) => kind === 'session').map(({ label }) => label)
  return sessions.join(' › ') || (from.agent ?? from.kind)
}

/** Where the item comes from, when there is more to say than the session that it names already. */
function originOf(item: InboxItem): string | undefined {
  const task = item.lineage.find(({ kind }) => kind === 'task')
  if (item.lineage.length < 2) return undefined
  return `for ${lineagePath(item)}${task ? `, ${task.id}: ${task.label}` : ''}`
}

/** Prints the item and the command that answers it. */
export function sayItem(item: InboxItem, print: (text: string) => void): void {
  print(describe(item))
  const origin = originOf(item)
  if (origin) print(paint('dim', origin))
  print(item.status === 'open' ? `→ ${commandFor(item)}` : `(${item.status}${answerOf(item)})`)
}

/** What was answered: words, or a decision and why. */
function answerOf({ answer }: InboxItem): string {
  const { decision, reason, answer: words } = (answer ?? {}) as { decision?: string; reason?: string; answer?: string }
  const said = [decision, reason, words].filter((one) => typeof one === 'string')
  return said.length === 0 ? '' : `: ${said.join(', ')}`
}

export function commandFor(item: InboxItem): string {
  const id = shortId(item)
  const [first] = item.kind === 'notice' ? (item.options ?? []) : []
  if (first !== undefined) return `${troupe} inbox answer ${id} "${first}"`
  if (item.kind === 'question') return `${troupe} inbox answer ${id} "…"`
  if (item.kind !== 'approval') return `${troupe} inbox dismiss ${id}`
  return `${troupe} inbox approve ${id} [--session|--always]   or   ${troupe} inbox deny ${id} --reason "…"`
}

/** Where there are options, a number picks one. */
export function answerWith(item: InboxItem, text: string): InboxAnswer {
  if (item.kind === 'approval') {
    throw usage(
      `${shortId(item)} asks for permission, not for text.`,
      `Use "${troupe} inbox approve ${shortId(item)}" or "${troupe} inbox deny ${shortId(item)}".`,
    )
  }
  return { answer: item.options?.[Number(text) - 1] ?? text }
}
