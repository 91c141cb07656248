import type { InboxAction, InboxKind } from '../../contract/inbox.ts'
import type { WhyUnblock } from '../../contract/why.ts'
import type { InboxRow } from '../../store/tables.ts'
import { person } from '../waits/index.ts'
import { goOn, raiseBudget, stopBudget } from './commands.ts'

/** What stands still where no call waits for an item, and what a person can do about it. */
export const decisions: Readonly<
  Record<InboxAction, { readonly until: string; unblock(id: string): readonly WhyUnblock[] }>
> = {
  budget: {
    until: 'what does not fit into the budget waits',
    unblock: (id) => [raiseBudget(id), stopBudget(id)],
  },
  limit: {
    until: 'the run stands still',
    unblock: (id) => [
      person('raise the limit', `troupe inbox answer ${id} "raise to …"`),
      person('end the run', `troupe inbox answer ${id} "stop"`),
    ],
  },
  price: {
    until: 'that model is not asked where money is limited',
    unblock: (id) => [
      person('say its price: USD per million tokens of input and of output', `troupe inbox answer ${id} "2 10"`),
      person('count it as costing nothing', `troupe inbox answer ${id} "free"`),
      person('leave it out', `troupe inbox dismiss ${id}`),
    ],
  },
  chain: {
    until: 'the agents that it tells of are stopped',
    unblock: (id) => [goOn(id), person('leave them stopped', `troupe inbox dismiss ${id}`)],
  },
  changes: {
    until: 'what was changed is put aside',
    unblock: (id) => [
      person('let the changes stand', `troupe inbox approve ${id}`),
      person('drop them', `troupe inbox deny ${id} --reason "…"`),
    ],
  },
}

/** An item as the subject of a sentence. */
export const whoseItem = ({ kind }: Pick<InboxRow, 'kind'>, who: string | undefined): string =>
  who === undefined ? `The ${kind}` : `The ${kind} ${kindWords[kind].of(who)}`

const of = (who: string): string => `of ${who}`

/** How a sentence goes on about each kind. */
export const kindWords: Readonly<Record<InboxKind, KindWords>> = {
  question: { of, says: 'It asks', seen: 'seen', isItsCall: true },
  approval: { of: (who) => `that ${who} asks for`, says: 'It says', seen: 'seen' },
  message: { of, says: 'It says', seen: 'read' },
  notice: { of: (who) => `about ${who}`, says: 'It says', seen: 'seen' },
  proposal: { of, says: 'It says', seen: 'seen' },
}

interface KindWords {
  of(who: string): string
  readonly says: string
  readonly seen: string
  /** The call that waits says nothing that the item does not say. */
  readonly isItsCall?: boolean
}

/** By whom an item was settled, or why. */
export function settledAs(
  { status, answered_by: by }: Pick<InboxRow, 'status' | 'answered_by'>,
  shown: (text: string) => string,
): string {
  const [, where] = /^human(?: via (.+))?$/s.exec(by ?? '') ?? []
  const isPerson = by?.startsWith('human') ?? false
  const you = `by you${where === undefined ? '' : ` (${shown(where)})`}`
  if (status === 'expired') return 'expired, because nobody answered in time'
  if (status === 'answered') {
    if (isPerson) return `was answered ${you}`
    if (by?.startsWith('mail_')) return 'was answered by your message to the session'
    if (by?.startsWith('call_')) return 'was answered by an agent in your place'
    return `was answered ${by?.startsWith('nobody') ? 'with its first option, because nobody was there' : `by ${shown(by ?? 'you')}`}`
  }
  return isPerson ? `was put away ${you}` : `was closed${by === null ? '' : `: ${shown(by).replace(/\.$/, '')}`}`
}
