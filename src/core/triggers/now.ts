import { AppError } from '../../contract/errors.ts'
import type { TriggerId } from '../../contract/ids.ts'
import type { TriggerFire } from '../../contract/triggers.ts'
import { findFireByOccasion, toFire } from '../../store/fires.ts'
import { lockTrigger, updateTrigger, whenOf } from '../../store/triggers.ts'
import type { Core } from '../base/index.ts'
import { mustFind, notFound } from './change.ts'
import { acting, projectHere, recordOutcome } from './fire.ts'
import { occurrenceOf, readyFor } from './prepare.ts'

/** A person fires it now, also while it is paused or over. When it is due next does not change. */
export async function fireNow(core: Core, id: TriggerId, key: string): Promise<TriggerFire> {
  const row = await mustFind(core, id)
  const when = whenOf(row)
  if (when === undefined) throw new AppError('trigger.invalid', 'What is stored of it cannot be read.')
  const occasion = `now:${key}`
  const earlier = await findFireByOccasion(core.store.read, id, occasion)
  if (earlier) return toFire(earlier)
  const one = occurrenceOf(row, occasion, core.clock.now())
  const { act, seen } = await readyFor(core, { row, when, project: await projectHere(core, row), one, asked: true })
  await acting(core, 'trigger.now', act, async (tx, run) => {
    const fresh = await lockTrigger(tx.db, id)
    if (fresh === undefined) throw notFound(id)
    if (await findFireByOccasion(tx.db, id, occasion)) return
    const outcome = await recordOutcome(tx, fresh, one, 'fired', await run())
    await updateTrigger(tx.db, id, {
      ...(outcome.acted ? { fires: fresh.fires + 1, last_at: tx.now } : {}),
      ...(seen === undefined ? {} : { seen }),
      last_outcome: outcome.reason === undefined ? outcome.outcome : `${outcome.outcome}: ${outcome.reason}`,
      updated_at: tx.now,
    })
  })
  return toFire((await findFireByOccasion(core.store.read, id, occasion))!)
}
