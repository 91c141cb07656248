import { waitsForOf } from '../../store/calls.ts'
import type { CallRow } from '../../store/tables.ts'
import type { Asked } from '../base/index.ts'

/** What the person was asked about this call, as far as it can be read. */
export const askedOf = (call: CallRow): Partial<Asked> => waitsForOf<Asked>(call)
