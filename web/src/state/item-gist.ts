import type { InboxItem } from '../../../src/contract/inbox.ts'

/** The call that an approval is about, in one line; undefined where the item is about something else. */
export function callIn({ kind, body }: Pick<InboxItem, 'kind' | 'body'>): string | undefined {
  if (kind !== 'approval') return undefined
  return /^(?:command|path|url): (.+)$/m.exec(body)?.[1]
}
