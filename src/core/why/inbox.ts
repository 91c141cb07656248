import { AppError } from '../../contract/errors.ts'
import { findBudgetByInbox } from '../../store/budgets.ts'
import { findCall } from '../../store/calls.ts'
import { findChainByNotice } from '../../store/chains.ts'
import { findInbox } from '../../store/inbox.ts'
import type { InboxRow } from '../../store/tables.ts'
import { inboxByPrefix } from '../../store/why.ts'
import { described, line, type Named, nameOfId, person, personOf, wakes } from '../waits/index.ts'
import { goOn, raiseBudget, stopBudget } from './commands.ts'
import type { Look, Reason } from './reason.ts'

/** What an inbox item keeps from going on. Any unique beginning of its id will do, as in the list. */
export async function inboxReason(look: Look, ref: string): Promise<Reason> {
  const item = await findItem(look, ref)
  const name = item.session_id === null ? undefined : await nameOfId(look, item.session_id)
  const base = {
    ref: item.id,
    state: item.status,
    who: `The ${item.kind}${name === undefined ? '' : ` of ${name.who}`}`,
    notes: [line(look, item.title)],
  }
  return item.status === 'open'
    ? { ...base, since: item.created_at, ...(await open(look, item, name)) }
    : { ...base, since: item.answered_at ?? item.created_at, ...settled(look, item) }
}

async function open(
  look: Look,
  item: InboxRow,
  name: Named | undefined,
): Promise<Pick<Reason, 'says' | 'waitsOn' | 'wakes' | 'unblock'>> {
  const call = item.call_id === null ? undefined : await findCall(look.db, item.call_id)
  const chain = await findChainByNotice(look.db, item.id)
  const budget = await findBudgetByInbox(look.db, item.id)
  const asks = call && personOf(call)
  const nobody = {
    says: 'waits to be seen; nothing else waits for it',
    unblock: [person('put it away', `troupe inbox dismiss ${item.id}`)],
  }
  const stopped = {
    says: 'waits for your decision; the agents it tells of are stopped until then',
    unblock: [goOn(item.id), person('leave them stopped', `troupe inbox dismiss ${item.id}`)],
  }
  const spent = {
    says: 'waits for your decision; what does not fit into the budget waits until then',
    unblock: [raiseBudget(item.id), stopBudget(item.id)],
  }
  const asked = call && {
    says: `waits for you; ${described(look, call)} of ${name?.who ?? 'its session'} waits for it`,
    unblock: asks?.commands(item.id) ?? [],
  }
  return {
    ...(asked ?? (budget && spent) ?? (chain === undefined ? nobody : stopped)),
    waitsOn: [{ kind: 'person', ref: 'human', label: asks?.wanted ?? 'your answer' }],
    wakes: wakes('person', 'you alone'),
  }
}

const settled = (look: Look, item: InboxRow): Pick<Reason, 'says' | 'waitsOn' | 'wakes' | 'unblock'> => ({
  says: `is ${item.status}${item.answered_by === null ? '' : ` by ${line(look, item.answered_by)}`}`,
  waitsOn: [],
  wakes: wakes('nothing', 'nothing: it is settled'),
  unblock: [],
})

async function findItem({ db }: Look, ref: string): Promise<InboxRow> {
  const exact = await findInbox(db, ref)
  if (exact !== undefined) return exact
  const found = (await inboxByPrefix(db, ref, 2)).filter(({ id }) => id.startsWith(ref))
  const [first, second] = found
  if (first !== undefined && second === undefined) return first
  if (first !== undefined) {
    throw new AppError('inbox.not_found', `"${ref}" fits several inbox items.`, { hint: 'Add a few more characters.' })
  }
  throw new AppError('inbox.not_found', `There is no inbox item "${ref}".`, { hint: 'List them with: troupe inbox' })
}
