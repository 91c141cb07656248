import type { InboxAnswer, InboxItem } from '../contract/inbox.ts'
import { all, type Client } from './client.ts'
import { usage } from './failure.ts'
import { clean, paint } from './print.ts'

export const openItems = (client: Client): Promise<InboxItem[]> =>
  all<InboxItem>(client, '/api/inbox', { status: 'open', project: '*' })

/** Enough of the id to type, without the word that all of them begin with. */
export const shortId = (item: InboxItem): string => item.id.replace(/^inbox_/, '').slice(0, 8)

/** The item as a person reads it, and the command that answers it. */
export function sayItem(item: InboxItem, print: (text: string) => void): void {
  const id = shortId(item)
  print(
    `${paint('bold', item.kind)} from ${item.from.agent ?? item.from.kind}${item.from.handle ? ` ${item.from.handle}` : ''}: ${clean(item.title)}`,
  )
  if (item.body && item.body !== item.title) print(clean(item.body))
  for (const [index, option] of (item.options ?? []).entries()) print(`  ${index + 1}. ${clean(option)}`)
  if (item.status !== 'open') print(`(${item.status})`)
  else if (item.kind === 'approval')
    print(`→ troupe inbox approve ${id} [--session|--always]   or   troupe inbox deny ${id} --reason "…"`)
  else if (item.kind === 'question') print(`→ troupe inbox answer ${id} "…"`)
  else print(`→ troupe inbox dismiss ${id}`)
}

/** A number picks an option, where there are options. */
export function answerTo(item: InboxItem, text: string): InboxAnswer {
  if (item.kind === 'approval') {
    throw usage(
      `${shortId(item)} asks for permission, not for text.`,
      `Use "troupe inbox approve ${shortId(item)}" or "troupe inbox deny ${shortId(item)}".`,
    )
  }
  return { answer: item.options?.[Number(text) - 1] ?? text }
}
