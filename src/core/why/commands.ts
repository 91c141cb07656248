import type { WhyUnblock } from '../../contract/why.ts'
import { GO_ON } from '../mail/index.ts'
import { person } from '../waits/index.ts'

/** What lifts a stop of the loop guards. */
export const goOn = (noticeId: string): WhyUnblock =>
  person('let the agents go on', `troupe inbox answer ${noticeId} "${GO_ON}"`)

export const raiseBudget = (itemId: string): WhyUnblock =>
  person('give more', `troupe inbox answer ${itemId} "raise to …"`)

export const stopBudget = (itemId: string): WhyUnblock =>
  person('end what does not fit', `troupe inbox answer ${itemId} "stop"`)
