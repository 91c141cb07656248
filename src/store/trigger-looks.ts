import { sql } from 'kysely'
import type { SessionId, TriggerId } from '../contract/ids.ts'
import type { Db } from './tables.ts'

/** What triggers look at: who did what last, and in which chain. */

interface ChainOf {
  readonly id: string
  readonly hops: number
}
type Chains = Map<string, ChainOf>

export async function chainsOfTurns(db: Db, ids: readonly string[]): Promise<Chains> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('turns')
    .select(['id', 'chain_id', 'hops'])
    .where('id', 'in', [...ids])
    .execute()
  return byId(rows)
}

export async function chainsOfMail(db: Db, ids: readonly string[]): Promise<Chains> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('mail')
    .select(['id', 'chain_id', 'hops'])
    .where('id', 'in', [...ids])
    .execute()
  return byId(rows)
}

export async function chainsOfTasks(db: Db, ids: readonly string[]): Promise<Chains> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('tasks')
    .select(['id', 'chain_id', 'hops'])
    .where('id', 'in', [...ids])
    .execute()
  return byId(rows)
}

/** The chain of what each session does now or did last: of its newest turn, else of its newest mail. */
export async function chainsOfSessions(db: Db, ids: readonly SessionId[]): Promise<Chains> {
  const found: Chains = new Map()
  for (const id of ids) {
    const turn = await db
      .selectFrom('turns')
      .select(['chain_id', 'hops'])
      .where('session_id', '=', id)
      .orderBy('started_at', 'desc')
      .limit(1)
      .executeTakeFirst()
    const mail =
      turn?.chain_id == null
        ? await db
            .selectFrom('mail')
            .select(['chain_id', 'hops'])
            .where('session_id', '=', id)
            .orderBy('position', 'desc')
            .limit(1)
            .executeTakeFirst()
        : undefined
    const chain = turn?.chain_id == null ? mail : turn
    if (chain?.chain_id != null) found.set(id, { id: chain.chain_id, hops: chain.hops })
  }
  return found
}

const byId = (rows: readonly { id: string; chain_id: string | null; hops: number }[]): Chains =>
  new Map(rows.flatMap(({ id, chain_id, hops }) => (chain_id === null ? [] : [[id, { id: chain_id, hops }]])))

/** When the newest mail came for any session of an agent, or for one session; 0 when there is none. What triggers send does not count. */
export async function newestMailFor(db: Db, project: string, agent: string): Promise<number> {
  const row = await db
    .selectFrom('mail')
    .innerJoin('sessions', 'sessions.id', 'mail.session_id')
    .select(db.fn.max('mail.created_at').as('newest'))
    .where('sessions.project_id', '=', project)
    .where((is) =>
      is.or([is('sessions.agent', '=', agent), is('sessions.id', 'like', `${agent.replace(/[%_]/g, '')}%`)]),
    )
    .where('sessions.mode', '<>', 'daemon')
    .where('mail.from_kind', '<>', 'trigger')
    .executeTakeFirst()
  return Number(row?.newest ?? 0)
}

interface Activity {
  /** Somebody works, waits for a call or is about to begin. */
  readonly busy: boolean
  /** When the last turn ended or began. */
  readonly last: number
}

/** What the sessions of an agent do. What this trigger itself set off is no activity, or it would never come to rest. */
export async function activityOf(db: Db, project: string, agent: string, trigger: TriggerId): Promise<Activity> {
  const ofAgent = db
    .selectFrom('turns')
    .innerJoin('sessions', 'sessions.id', 'turns.session_id')
    .where('sessions.project_id', '=', project)
    .where('sessions.agent', '=', agent)
    .where('sessions.deleted_at', 'is', null)
  const busy = await ofAgent.select('turns.id').where('turns.ended_at', 'is', null).limit(1).executeTakeFirst()
  const last = await ofAgent
    .select((of) => of.fn.max(sql<number>`coalesce(turns.ended_at, turns.started_at)`).as('last'))
    .where(
      sql<boolean>`(turns.chain_id is null or turns.chain_id not in (
        select f.chain_id from trigger_fires f where f.trigger_id = ${trigger} and f.chain_id is not null))`,
    )
    .executeTakeFirst()
  return { busy: busy !== undefined, last: Number(last?.last ?? 0) }
}
