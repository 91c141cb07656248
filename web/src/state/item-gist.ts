import { readAsked, tellingField } from '../../../src/client/approval.ts'
import type { InboxItem } from '../../../src/contract/inbox.ts'

const READ = 20_000
const LONG = 1000

/** The call that an approval is about, as far as one line has room for it; undefined where the item is about something else. */
export function callIn({ kind, body }: Pick<InboxItem, 'kind' | 'body'>): string | undefined {
  return kind === 'approval' ? tellingField(readAsked(body.slice(0, READ)))?.slice(0, LONG) : undefined
}
