import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from '../../client/client.ts'
import { follow } from '../../client/live.ts'
import type { Event } from '../../contract/events.ts'
import type { InboxItem } from '../../contract/inbox.ts'
import type { Board } from '../../contract/runs.ts'
import { isAskedFor } from '../chat/watch.ts'
import type { Cli } from '../cli.ts'
import { failureOf } from '../failure.ts'
import { openItems } from '../inbox-items.ts'
import { whereabouts } from '../server.ts'
import { type Activities, createActivities } from './activity.ts'

/** A run as one person sees it. */
export interface WatchedRun {
  /** As it was read last; an event of the board has it read anew. */
  readonly board: Board
  /** What its members ask the person, the oldest first. */
  readonly items: readonly InboxItem[]
  readonly activities: Activities
  /** Reads the board and the inbox now. */
  look(): Promise<void>
  /** Rejects when the server stays away. */
  readonly ended: Promise<void>
  close(): void
}

interface Viewer {
  changed(): void
  event?(event: Event): void
}

/** A burst of events has the board read once. */
const LOOK_MS = 100
const RECENT = 200

export async function watchRun(cli: Cli, client: Client, id: string, viewer: Viewer): Promise<WatchedRun> {
  const given = { params: { id } }
  const activities = createActivities()
  const first = await client.snapshot('GET /api/runs/{id}/board', given)
  let board = first.value
  let items = await itemsOf(client, board)
  let looking: Promise<void> | undefined
  let again = false
  let closed = false
  const failed = Promise.withResolvers<void>()
  const query = { run: id, limit: RECENT, newest: true }
  for (const event of (await client.call('GET /api/events', { query })).items) activities.note(event)

  async function read(): Promise<string | undefined> {
    const { value, seq } = await client.snapshot('GET /api/runs/{id}/board', given)
    board = value
    items = await itemsOf(client, board)
    viewer.changed()
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
        viewer.event?.(event)
        if (changesBoard.test(event.type)) look().catch((thrown: unknown) => failed.reject(failureOf(thrown)))
        viewer.changed()
      },
      anew: read,
    },
    whereabouts(cli),
  )
  live.ended.then(failed.resolve, failed.reject)
  failed.promise.catch(() => {})
  return {
    get board() {
      return board
    },
    get items() {
      return items
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

const changesBoard =
  /^(run|node|stage|worker|inbox|task)\.|^(turn\.ended|session\.(status|charged)|call\.(parked|resumed))$/

/** What its members ask. A worker is known by its name. */
async function itemsOf(client: Client, { run, workers }: Board): Promise<InboxItem[]> {
  const nameOf = (id: string | undefined): string | undefined => workers.find(({ sessionId }) => sessionId === id)?.name
  return (await openItems(client))
    .filter((item) => item.id === run.inboxId || isAskedFor(run.sessionId, item))
    .map((item) => {
      const name = nameOf(item.from.sessionId)
      return name === undefined ? item : { ...item, from: { ...item.from, agent: name } }
    })
}
