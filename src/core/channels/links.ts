import { timingSafeEqual } from 'node:crypto'
import type { Channels } from '../../contract/channels.ts'
import type { InboxKind } from '../../contract/inbox.ts'
import { findDelivery, useDelivery } from '../../store/deliveries.ts'
import { findInbox, inboxOptions } from '../../store/inbox.ts'
import type { DeliveryRow, InboxRow } from '../../store/tables.ts'
import { type Core, hmac, transact } from '../base/index.ts'
import { effectiveSettings } from '../config/index.ts'

/** How long a link answers. */
export const LINK_MS = 24 * 3_600_000

/** The link by which an item is answered; undefined where a channel may not, or nobody outside could open it. */
export function linkFor(
  core: Core,
  delivery: Pick<DeliveryRow, 'id'>,
  item: InboxRow,
  { publicUrl, approvals }: { publicUrl: string | undefined; approvals: boolean },
): string | undefined {
  if (publicUrl === undefined || !isAnswerable(item, approvals)) return undefined
  return `${publicUrl.replace(/\/$/, '')}/answer/${codeOf(core, delivery.id)}`
}

/** Questions are; what lets a call run or spends money only where the person said so. */
function isAnswerable({ kind, call_id, action }: InboxRow, approvals: boolean): boolean {
  if (call_id === null && action === null) return false
  return approvals || (call_id !== null && !decided.includes(kind))
}

/** What takes a decision, not words. */
const decided: readonly InboxKind[] = ['approval']

const codeOf = (core: Core, id: string): string => `${id}.${hmac(core, 'answer.key', id)}`

/** The delivery whose signed code this is. */
export async function deliveryBehind(core: Core, code: string): Promise<DeliveryRow | undefined> {
  const [, id = '', signed = ''] = /^(delivery_\w{1,100})\.([0-9a-f]{64})$/.exec(code) ?? []
  if (id === '' || !timingSafeEqual(Buffer.from(signed), Buffer.from(hmac(core, 'answer.key', id)))) return undefined
  return findDelivery(core.store.read, id)
}

/** What a link is about, and why it answers no more, if so. */
export interface Linked {
  readonly delivery: DeliveryRow
  readonly item: InboxRow | undefined
  readonly options: readonly string[]
  /** It takes a decision, not words. */
  readonly decides: boolean
  readonly over?: string
}

export async function linkedItem(core: Core, delivery: DeliveryRow): Promise<Linked> {
  if (delivery.expires_at <= core.clock.now())
    return { delivery, item: undefined, options: [], decides: false, over: EXPIRED }
  const item = await findInbox(core.store.read, delivery.inbox_id)
  if (item === undefined) return { delivery, item, options: [], decides: false, over: 'This item is gone.' }
  const { settings } = await effectiveSettings(core, core.project)
  const over = whyOver(delivery, item, settings.channels ?? {})
  const decides = decided.includes(item.kind)
  return { delivery, item, options: inboxOptions(item), decides, ...(over === undefined ? {} : { over }) }
}

/** Whoever finds an old link learns nothing by it. */
const EXPIRED = 'This link has expired. Answer in the terminal: troupe inbox'

function whyOver({ used_at }: DeliveryRow, item: InboxRow, { approvals = false }: Channels): string | undefined {
  if (item.status !== 'open') return `This is already ${item.status}.`
  if (used_at !== null) return 'This link was used already.'
  return isAnswerable(item, approvals)
    ? undefined
    : 'This is not decided by links. Answer in the terminal: troupe inbox'
}

/** The link answers once; false when it was used. */
export const useLink = (core: Core, { id }: DeliveryRow): Promise<boolean> =>
  transact(core, 'channel.used', (tx) => useDelivery(tx.db, id, tx.now))
