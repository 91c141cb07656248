import { relative } from 'node:path'
import type { ChannelRoute } from '../../contract/channels.ts'
import { InboxKind } from '../../contract/inbox.ts'
import { newId } from '../../lib/ids.ts'
import { countDeliveries, insertDelivery, removeDeliveries, unroutedItems } from '../../store/deliveries.ts'
import { findProjectPath } from '../../store/projects.ts'
import type { Db, InboxRow } from '../../store/tables.ts'
import { insertTimer } from '../../store/timers.ts'
import { type Core, type Tx, transact } from '../base/index.ts'
import { effectiveSettings } from '../config/index.ts'
import { notifyProject, presenceNow } from '../inbox/index.ts'
import { LINK_MS } from './links.ts'

const BATCH = 100
/** Older items were told elsewhere, or are told by nobody any more. */
const RECENT_MS = 24 * 3_600_000
const KEPT_MS = 30 * RECENT_MS
/**
 * A channel is told of so many items a minute; further ones wait, and of those that are too many nobody is told there.
 * What somebody waits for is counted by itself: no flood of news holds it up.
 */
const A_MINUTE = 20
const WAITING = 200
export const MINUTE_MS = 60_000
/** Stands for the decision that an item goes nowhere. */
const NOWHERE = '-'

/** Decides where each new item goes. Every item has its rows afterwards, so none is told twice, whoever is killed when. */
export async function routeItems(core: Core): Promise<{ readonly more: boolean }> {
  const { settings } = await effectiveSettings(core, core.project)
  const { routes = [], channels = {} } = settings
  if ((routes.length === 0 && channels.away === undefined) || Object.keys(channels.to ?? {}).length === 0)
    return { more: false }
  const away = (await presenceNow(core)).status === 'away'
  const rows = await unroutedItems(core.store.read, core.clock.now() - RECENT_MS, BATCH)
  if (rows.length > 0) await core.store.write((db) => removeDeliveries(db, core.clock.now() - KEPT_MS))
  for (const row of rows) {
    const named = await channelsFor(core.store.read, row, routes, away ? (channels.away ?? []) : [])
    const [known = [], unknown = []] = [true, false].map((there) =>
      named.filter((name) => (channels.to?.[name] !== undefined) === there),
    )
    await transact(core, 'channel.route', async (tx) => {
      await give(tx, row, known.length === 0 ? [NOWHERE] : known)
      for (const name of unknown) await tellMissing(tx, core.project.id, name, row)
    })
  }
  return { more: rows.length === BATCH }
}

/** A route names a channel that is not there. */
const tellMissing = (tx: Tx, project: string, name: string, { title }: InboxRow): Promise<void> =>
  notifyProject(tx, project, {
    id: newId('inbox'),
    group: channelGroup(name),
    title: `There is no channel "${name}"`,
    body: `A route, or channels.away, sends "${title}" there. Add channels.to.${name} to <home>/settings.json, or take the name out.`,
  })

async function give(tx: Tx, item: InboxRow, channels: readonly string[]): Promise<void> {
  for (const channel of channels) {
    const { lately, pending } = await countDeliveries(tx.db, channel, tx.now - MINUTE_MS, countedWith(item.kind))
    const full = channel !== NOWHERE && pending >= WAITING
    const id = newId('delivery')
    const added = await insertDelivery(tx.db, {
      id,
      inbox_id: item.id,
      channel,
      state: channel === NOWHERE ? 'done' : full ? 'failed' : 'pending',
      attempts: 0,
      reason: full ? `More than ${WAITING} items wait for this channel.` : null,
      expires_at: tx.now + LINK_MS,
      used_at: null,
      created_at: tx.now,
      updated_at: tx.now,
    })
    if (!added || channel === NOWHERE || full) continue
    const due = tx.now + Math.floor(lately / A_MINUTE) * MINUTE_MS
    await insertTimer(tx.db, deliveryTimer(id, due))
    tx.alarm(due)
  }
}

export const deliveryTimer = (id: string, due: number) => ({
  id: `delivery:${id}`,
  due_at: due,
  kind: 'delivery',
  ref: id,
  session_id: null,
  payload: '{}',
})

/** What somebody waits for. */
const awaited: readonly InboxKind[] = ['question', 'approval']
const news = InboxKind.options.filter((kind) => !awaited.includes(kind))

/** The kinds that share one queue. */
export const countedWith = (kind: InboxKind): readonly InboxKind[] => (awaited.includes(kind) ? awaited : news)

/** That a channel fails is told in the inbox alone. */
export const channelGroup = (name: string): string => `channel:${name}`

async function channelsFor(
  db: Db,
  item: InboxRow,
  routes: readonly ChannelRoute[],
  away: readonly string[],
): Promise<string[]> {
  if (item.grouped?.startsWith(channelGroup(''))) return []
  const folder = await findProjectPath(db, item.project_id)
  const fitting = routes.filter(({ kinds, projects, agents }) => {
    if (kinds !== undefined && !kinds.includes(item.kind)) return false
    if (agents !== undefined && !agents.includes(item.from_agent ?? '')) return false
    return projects === undefined || projects.some((one) => folder !== undefined && isIn(folder, one))
  })
  return [...new Set([...fitting.flatMap(({ channels }) => channels), ...(awaited.includes(item.kind) ? away : [])])]
}

const isIn = (folder: string, parent: string): boolean => {
  const path = relative(parent, folder)
  return path === '' || !(path.startsWith('..') || path.startsWith('/'))
}
