import type { WhyUnblock } from '../../contract/why.ts'
import { GO_ON } from '../mail/index.ts'
import { person } from './reason.ts'

/** What a person types to answer an inbox item. */
export function answerCommands(kind: string, id: string): WhyUnblock[] {
  if (kind === 'question') return [person('answer', `troupe inbox answer ${id} "…"`)]
  if (kind !== 'approval') return [person('put it away', `troupe inbox dismiss ${id}`)]
  return [
    person('let it run', `troupe inbox approve ${id}`),
    person('refuse it', `troupe inbox deny ${id} --reason "…"`),
  ]
}

/** What lifts a stop of the loop guards. */
export const goOn = (noticeId: string): WhyUnblock =>
  person('let the agents go on', `troupe inbox answer ${noticeId} "${GO_ON}"`)
