import type { Event } from '../contract/events.ts'
import { endRemark, type Remark, remarkOf } from '../contract/remarks.ts'
import { asCalled } from './called.ts'

/** What happened beside the messages, with commands that work here. */
export const remarkHere = (event: Event): Remark | undefined => here(remarkOf(event))

/** How a turn ended, with commands that work here. */
export const endHere = (end: string, reason: string): Remark | undefined => here(endRemark(end, reason))

const here = (remark: Remark | undefined): Remark | undefined => remark && { ...remark, text: asCalled(remark.text) }
