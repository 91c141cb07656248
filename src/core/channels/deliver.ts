import type { Channel } from '../../contract/channels.ts'
import { newId } from '../../lib/ids.ts'
import { crashPoint } from '../../lib/process/crash.ts'
import { findDelivery, untoldOf, updateDelivery } from '../../store/deliveries.ts'
import { findInbox, inboxOptions } from '../../store/inbox.ts'
import type { DeliveryRow, InboxRow, TimerRow } from '../../store/tables.ts'
import {
  deleteTimers,
  insertTimer,
  moveTimer,
  payloadOf,
  postponeTimer,
  takeTimer,
  wasPutOff,
} from '../../store/timers.ts'
import { type Core, type Tx, transact } from '../base/index.ts'
import { effectiveSettings } from '../config/index.ts'
import { lineageOf, notifyProject } from '../inbox/index.ts'
import { linkFor } from './links.ts'
import { channelGroup, countedWith, deliveryTimer, MINUTE_MS } from './routing.ts'
import { sendThrough } from './send.ts'

/** How long until the next try, after each that failed; longer than a try takes. */
const WAITS_MS = [30_000, 120_000, 600_000, 1_800_000, 7_200_000]
const TRIES = WAITS_MS.length + 1
/** So many at once for one channel, so that a silent one holds up no other. */
const AT_ONCE = 2
const FULL_MS = 1000
/** So many are told together at most. */
const ALONG = 50

/** Deliveries, with the channel of which host they go to. */
const underWay = new Map<string, string>()

/** One try. The next one is set before this one is made, so that a crash loses none; a receiver tells them apart by their id. */
export async function serveDelivery(core: Core, timer: TimerRow): Promise<void> {
  const { channel } = (await findDelivery(core.store.read, timer.ref)) ?? {}
  const place = `${core.host} ${channel}`
  const busy = [...underWay.values()].filter((one) => one === place).length
  if (busy >= AT_ONCE || underWay.has(timer.ref))
    return transact(core, 'channel.wait', async (tx) => {
      // One that was taken along meanwhile has its next try later.
      if (!(await wasPutOff(tx.db, timer))) await postponeTimer(tx.db, timer, tx.now + FULL_MS, payloadOf(timer))
    })
  underWay.set(timer.ref, place)
  const free = () => underWay.delete(timer.ref)
  const tried = await begin(core, timer).catch((error: unknown) => {
    free()
    throw error
  })
  if (tried === undefined) return void free()
  // Not awaited: other timers, and so agents, must not wait for somebody else's server.
  void send(core, tried)
    .catch((error: unknown) =>
      core.log('error', 'the outcome of a delivery could not be written', { error: String(error) }),
    )
    .finally(free)
}

interface Try {
  readonly delivery: DeliveryRow
  readonly along: Awaited<ReturnType<typeof untoldOf>>
  readonly item: InboxRow
  readonly channel: Channel
}

async function begin(core: Core, timer: TimerRow): Promise<Try | undefined> {
  const { settings } = await effectiveSettings(core, core.project)
  return transact(core, 'channel.try', async (tx) => {
    // Another one that rang with it took it along.
    if ((await wasPutOff(tx.db, timer)) || !(await takeTimer(tx.db, timer))) return undefined
    const delivery = await findDelivery(tx.db, timer.ref)
    if (delivery?.state !== 'pending') return undefined
    const item = await findInbox(tx.db, delivery.inbox_id)
    const channel = settings.channels?.to?.[delivery.channel]
    const over = item?.status !== 'open' ? 'It was settled before.' : channel ? undefined : 'There is no such channel.'
    if (item === undefined || channel === undefined || over !== undefined) {
      const state = channel === undefined ? 'failed' : 'done'
      await updateDelivery(tx.db, delivery.id, { state, reason: over ?? null, updated_at: tx.now })
      return undefined
    }
    const attempts = delivery.attempts + 1
    await updateDelivery(tx.db, delivery.id, { attempts, updated_at: tx.now })
    const next = tx.now + (WAITS_MS[attempts - 1] ?? WAITS_MS.at(-1)!)
    await insertTimer(tx.db, deliveryTimer(delivery.id, next))
    tx.alarm(next)
    const along = attempts === 1 ? await takeAlong(tx, delivery, item, next) : []
    return { delivery: { ...delivery, attempts }, along, item, channel }
  })
}

/** An item that was put off, as there were too many, takes others with it. If that fails each is tried by itself. */
async function takeAlong(tx: Tx, delivery: DeliveryRow, { kind }: InboxRow, next: number): Promise<Try['along']> {
  if (tx.now - delivery.created_at < MINUTE_MS) return []
  const along = await untoldOf(tx.db, delivery, countedWith(kind), ALONG)
  for (const { id } of along) {
    await updateDelivery(tx.db, id, { attempts: 1, updated_at: tx.now })
    await moveTimer(tx.db, deliveryTimer(id, next))
  }
  return along
}

async function send(core: Core, { delivery, along, item, channel }: Try): Promise<void> {
  const { settings } = await effectiveSettings(core, core.project)
  const line = item.session_id === null ? [] : await lineageOf(core.store.read, item.session_id)
  const from = line.filter(({ kind }) => kind === 'session').map(({ label }) => label)
  const { publicUrl } = settings.server
  const link = linkFor(core, delivery, item, { publicUrl, approvals: settings.channels?.approvals ?? false })
  const why = await sendThrough(core, channel, delivery.id, {
    item,
    options: inboxOptions(item),
    from: from.join(' › ') || (item.from_agent ?? ''),
    link,
    along,
  })
  crashPoint('channel.sent')
  await transact(core, 'channel.settle', async (tx) => {
    const fresh = await findDelivery(tx.db, delivery.id)
    if (fresh?.state !== 'pending') return
    const over = why === undefined || fresh.attempts >= TRIES
    const state = why === undefined ? 'done' : over ? 'failed' : 'pending'
    await updateDelivery(tx.db, fresh.id, { state, reason: why ?? null, updated_at: tx.now })
    if (!over) return
    await deleteTimers(tx.db, [deliveryTimer(fresh.id, 0).id])
    if (why === undefined) for (const { id } of along) await toldAlong(tx, id)
    if (why !== undefined)
      await notifyProject(tx, core.project.id, {
        id: newId('inbox'),
        group: channelGroup(fresh.channel),
        title: `The channel "${fresh.channel}" cannot be reached`,
        body: `"${item.title}" was tried ${TRIES} times: ${tx.mask(why)}\nNothing waits for it; look at channels.to.${fresh.channel} in your settings.`,
      })
  })
}

async function toldAlong(tx: Tx, id: string): Promise<void> {
  await updateDelivery(tx.db, id, { state: 'done', updated_at: tx.now })
  await deleteTimers(tx.db, [deliveryTimer(id, 0).id])
}
