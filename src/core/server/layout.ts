import { AppError } from '../../contract/errors.ts'
import { LAYOUT_CHARS, type Layout } from '../../contract/me.ts'
import { iso } from '../../lib/clock.ts'
import { findLayout, putLayout } from '../../store/layouts.ts'
import type { Db } from '../../store/tables.ts'
import { type Core, transact } from '../base/index.ts'

/** No event says so: a layout concerns no agent, and the page reads it when it is opened. */
export async function keepLayout(core: Core, value: Layout['value']): Promise<Layout> {
  const text = JSON.stringify(value)
  if (text.length > LAYOUT_CHARS) throw tooLarge(text.length)
  const at = await transact(core, 'layout.put', async (tx) => {
    await putLayout(tx.db, text, tx.now)
    return tx.now
  })
  return { value, updatedAt: iso(at) }
}

export async function layoutOf(db: Db): Promise<Layout> {
  const found = await findLayout(db)
  return found === undefined ? { value: {} } : { value: found.value, updatedAt: iso(found.updatedAt) }
}

const tooLarge = (chars: number): AppError =>
  new AppError('request.too_large', `The layout has ${chars} characters, more than ${LAYOUT_CHARS}.`, {
    hint: 'Keep fewer open views and drafts in it.',
  })
