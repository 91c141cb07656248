import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from '../../client/client.ts'
import { follow } from '../../client/live.ts'
import type { Event } from '../../contract/events.ts'
import { foldBoard } from '../../contract/fold-board.ts'
import type { InboxItem } from '../../contract/inbox.ts'
import type { Board, Run } from '../../contract/runs.ts'
import { isAskedFor } from '../chat/watch.ts'
import type { Cli } from '../cli.ts'
import { failureOf } from '../failure.ts'
import { openItems } from '../inbox-items.ts'
import { whereabouts } from '../server.ts'
import { isPaused } from '../standstill.ts'
import { type Activities, createActivities } from './activity.ts'

/** A run as one person sees it. */
export interface WatchedRun {
  /** As the events up to now have left it. */
  readonly board: Board
  /** What its members ask the person, the oldest first. */
  readonly items: readonly InboxItem[]
  readonly activities: Activities
  /** Everything stands still, not only this run. */
  readonly still: boolean
  /** Reads now what no event tells: the inbox, whether everything is paused, and of the run its limits, its cycle and all of its cost. */
  look(): Promise<void>
  /** Rejects when the server stays away. */
  readonly ended: Promise<void>
  close(): void
}

interface Viewer {
  /** How things stood before the first event that it is told of. */
  first?(board: Board): void
  changed(): void
  event?(event: Event): void
}

/** A burst of events has them read once. */
const LOOK_MS = 100
const RECENT = 200

export async function watchRun(cli: Cli, client: Client, id: string, viewer: Viewer): Promise<WatchedRun> {
  const given = { params: { id } }
  const activities = createActivities()
  const first = await client.snapshot('GET /api/runs/{id}/board', given)
  viewer.first?.(first.value)
  let folded = first.value
  let told = folded.run
  let items = await askedIn(client, folded)
  let still = await isPaused(client)
  let looking: Promise<void> | undefined
  let again = false
  let closed = false
  const failed = Promise.withResolvers<void>()
  const query = { run: id, limit: RECENT, newest: true }
  for (const event of (await client.call('GET /api/events', { query })).items) activities.note(event)

  async function read(): Promise<void> {
    told = await client.call('GET /api/runs/{id}', given)
    items = await askedIn(client, { ...folded, run: told })
    still = await isPaused(client)
    viewer.changed()
  }

  async function anew(): Promise<string | undefined> {
    const { value, seq } = await client.snapshot('GET /api/runs/{id}/board', given)
    folded = value
    await read()
    return seq
  }

  /** One look at a time; what changes meanwhile is seen by the next. */
  function look(): Promise<void> {
    again = true
    looking ??= (async () => {
      while (again && !closed) {
        again = false
        await read()
        await pause(LOOK_MS)
      }
    })().finally(() => {
      looking = undefined
    })
    return looking
  }

  const live = await follow(
    client,
    { run: id, project: '*', after: first.seq },
    {
      event(event) {
        activities.note(event)
        folded = foldBoard(folded, event)
        viewer.event?.(event)
        if (leadsToLook.test(event.type)) look().catch((thrown: unknown) => failed.reject(failureOf(thrown)))
        viewer.changed()
      },
      anew,
    },
    whereabouts(cli),
  )
  live.ended.then(failed.resolve, failed.reject)
  failed.promise.catch(() => {})
  return {
    get board() {
      return { ...folded, run: withTold(folded.run, told) }
    },
    get items() {
      return items
    },
    get still() {
      return still
    },
    activities,
    look,
    ended: failed.promise,
    close() {
      closed = true
      live.close()
    },
  }
}

const leadsToLook = /^(run|inbox)\.|^(turn\.ended|session\.(status|charged)|call\.(parked|resumed))$/

/** What was read may be ahead of the events or behind them; of money, which only grows, the larger sum is the newer one. */
function withTold(run: Run, { limits, inboxId, cycle, nextCycleAt, ...told }: Run): Run {
  const { inboxId: _, cycle: __, nextCycleAt: ___, ...rest } = run
  return {
    ...rest,
    limits,
    ...(inboxId && { inboxId }),
    ...(cycle !== undefined && { cycle }),
    ...(nextCycleAt && { nextCycleAt }),
    costUsd: Math.max(run.costUsd, told.costUsd),
    coordinatorCostUsd: Math.max(run.coordinatorCostUsd, told.coordinatorCostUsd),
    unpricedTokens: Math.max(run.unpricedTokens, told.unpricedTokens),
  }
}

/** What its members ask. A worker is known by its name. */
export async function askedIn(client: Client, { run, workers }: Board): Promise<InboxItem[]> {
  const nameOf = (id: string | undefined): string | undefined => workers.find(({ sessionId }) => sessionId === id)?.name
  return (await openItems(client))
    .filter((item) => item.id === run.inboxId || isAskedFor(run.sessionId, item))
    .map((item) => {
      const name = nameOf(item.from.sessionId)
      return name === undefined ? item : { ...item, from: { ...item.from, agent: name } }
    })
}
