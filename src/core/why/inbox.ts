import { AppError } from '../../contract/errors.ts'
import { findCall } from '../../store/calls.ts'
import { findInbox } from '../../store/inbox.ts'
import { findPresence } from '../../store/presence.ts'
import { findSession } from '../../store/sessions.ts'
import type { CallRow, InboxRow, SessionRow } from '../../store/tables.ts'
import { findTimer, inboxByPrefix } from '../../store/why.ts'
import { atLatest, described, line, type Named, nameOf, person, personOf, wakes } from '../waits/index.ts'
import { decisions, kindWords, settledAs, whoseItem } from './items.ts'
import type { Look, Reason } from './reason.ts'

type Told = Pick<Reason, 'says' | 'notes' | 'waitsOn' | 'wakes' | 'unblock'>

/** What an inbox item keeps from going on. Any unique beginning of its id will do, as in the list. */
export async function inboxReason(look: Look, ref: string): Promise<Reason> {
  const item = await findItem(look, ref)
  const session = item.session_id === null ? undefined : await findSession(look.db, item.session_id)
  const name = session && (await nameOf(look, session))
  const call = item.call_id === null ? undefined : await findCall(look.db, item.call_id)
  const told =
    item.status !== 'open'
      ? settled(look, item)
      : call && session && name
        ? await ofCall(look, item, { call, session, name })
        : item.action === null
          ? ofNews(item, name)
          : ofDecision(item, item.action)
  return {
    ref: item.id,
    state: item.status,
    who: whoseItem(item, name?.who),
    since: item.answered_at ?? item.created_at,
    ...told,
    notes: [`${kindWords[item.kind].says}: ${line(look, item.title)}`, ...(told.notes ?? [])],
  }
}

/** A call waits for the answer, unless its session or everything is paused besides. */
async function ofCall(
  look: Look,
  item: InboxRow,
  { call, session, name }: { call: CallRow; session: SessionRow; name: Named },
): Promise<Told> {
  const { wanted = 'your answer', commands } = personOf(call) ?? {}
  const until = (await findTimer(look.db, call))?.due_at
  const still = (await findPresence(look.db)).paused_since !== null
  const paused = session.status === 'paused' && session.paused_with !== 'all'
  return {
    says: `waits for ${wanted}`,
    notes: [
      `Until then ${name.who} waits${kindWords[item.kind].isItsCall ? '' : `, with ${described(look, call)}`}.`,
      ...(paused ? ['The session is paused as well: it has to be resumed, too.'] : []),
      ...(still ? ['Everything is paused as well: it goes on once that is over, too.'] : []),
    ],
    waitsOn: [{ kind: 'person', ref: 'human', label: wanted }],
    wakes: wakes('person', `${wanted}${atLatest(until)}`, until),
    unblock: [
      ...(commands?.(item.id) ?? []),
      ...(paused ? [person('resume its session', `troupe sessions resume ${name.ref}`)] : []),
      ...(still ? [person('let everything go on', 'troupe resume --all')] : []),
    ],
  }
}

function ofDecision({ id }: InboxRow, action: NonNullable<InboxRow['action']>): Told {
  const { until, unblock } = decisions[action]
  return {
    says: 'waits for your decision',
    notes: [`Until then ${until}.`],
    waitsOn: [{ kind: 'person', ref: 'human', label: 'your decision' }],
    wakes: wakes('person', 'your decision'),
    unblock: unblock(id),
  }
}

function ofNews({ id, kind }: InboxRow, name: Named | undefined): Told {
  const reply = name === undefined ? [] : [person(`write to ${name.who}`, `troupe send ${name.ref} "…"`)]
  return {
    says: `waits to be ${kindWords[kind].seen}`,
    notes: ['Nothing waits for it.'],
    waitsOn: [{ kind: 'person', ref: 'human', label: 'to see it' }],
    wakes: wakes('nothing', 'nothing: it stands there until you put it away'),
    unblock: [...reply, person('put it away', `troupe inbox dismiss ${id}`)],
  }
}

const settled = (look: Look, item: InboxRow): Told & Pick<Reason, 'past'> => ({
  says: settledAs(item, (text) => line(look, text)),
  past: true,
  waitsOn: [],
  wakes: wakes('nothing', 'nothing: it is settled'),
  unblock: [],
})

/** Whether an inbox item's id begins so, behind the "inbox_" that lists leave out. */
export const isListedItem = async ({ db }: Look, ref: string): Promise<boolean> =>
  /^\w{4,200}$/.test(ref) &&
  (await inboxByPrefix(db, `inbox_${ref}`, 1)).some(({ id }) => id.startsWith(`inbox_${ref}`))

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
