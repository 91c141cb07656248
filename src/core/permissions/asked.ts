import { resolutionOf } from '../../store/calls.ts'
import type { CallRow } from '../../store/tables.ts'
import type { Asked } from '../base/index.ts'

/** What the person was asked about this call. */
export const askedOf = (call: CallRow | undefined): Asked | undefined =>
  call && resolutionOf<Asked | undefined>(call, undefined)
