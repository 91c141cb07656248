import { AppError } from '../../contract/errors.ts'
import type { TriggerId } from '../../contract/ids.ts'
import type { Trigger, TriggerFire } from '../../contract/triggers.ts'
import { selectFires, toFire } from '../../store/fires.ts'
import type { Db } from '../../store/tables.ts'
import { findTrigger, selectTriggers, type TriggerQuery, toTrigger, triggersByPrefix } from '../../store/triggers.ts'
import type { Core } from '../base/index.ts'
import { notFound } from './change.ts'

interface Page<T> {
  items: T[]
  nextCursor?: string
}

export async function listTriggers(core: Core, query: TriggerQuery, db: Db = core.store.read): Promise<Page<Trigger>> {
  const rows = await selectTriggers(db, query)
  const last = rows.at(-1)
  const items = rows.map(toTrigger)
  return rows.length === query.limit && last ? { items, nextCursor: `${last.created_at}.${last.id}` } : { items }
}

export async function getTrigger(core: Core, id: TriggerId, db: Db = core.store.read): Promise<Trigger> {
  const row = await findTrigger(db, id)
  if (row === undefined) throw notFound(id)
  return toTrigger(row)
}

/** Any unique beginning of an id, with or without "trigger_". */
export async function triggerId(core: Core, ref: string): Promise<TriggerId> {
  const wanted = ref.startsWith('trigger_') ? ref : `trigger_${ref}`
  if (!/^trigger_[0-9a-f]{1,24}$/.test(wanted)) throw notFound(ref)
  const found = await triggersByPrefix(core.store.read, wanted, 10)
  if (found.length === 1) return found[0]!
  if (found.length === 0) throw notFound(ref)
  throw new AppError('trigger.not_found', `"${ref}" fits ${found.length} triggers: ${found.join(', ')}.`, {
    hint: 'Add a few more characters.',
  })
}

/** The ledger, the newest first. */
export async function listFires(
  core: Core,
  query: { trigger: TriggerId; limit: number; cursor?: string | undefined },
  db: Db = core.store.read,
): Promise<Page<TriggerFire>> {
  const rows = await selectFires(db, query)
  const last = rows.at(-1)
  const items = rows.map(toFire)
  return rows.length === query.limit && last ? { items, nextCursor: `${last.at}.${last.id}` } : { items }
}
