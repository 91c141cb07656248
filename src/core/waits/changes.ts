import { relative } from 'node:path'
import { AppError } from '../../contract/errors.ts'
import type { InboxAnswer } from '../../contract/inbox.ts'
import { shownName } from '../../lib/files/paths.ts'
import { visible } from '../../lib/hidden.ts'
import { type AsideSet, discardAside, listAsides, putInPlace, readAside, retireAside } from '../../lib/sandbox/aside.ts'
import { noteStands } from '../../lib/sandbox/watch.ts'
import { shorten } from '../../lib/shorten.ts'
import { exactly } from '../../lib/wildcard.ts'
import { waitsForOf } from '../../store/calls.ts'
import { findInbox } from '../../store/inbox.ts'
import { findSession } from '../../store/sessions.ts'
import type { CallRow, InboxRow, SessionRow } from '../../store/tables.ts'
import { findTurn } from '../../store/turns.ts'
import {
  type Asked,
  type Core,
  onSession,
  type Park,
  type ToolContext,
  type ToolOutput,
  type Tx,
} from '../base/index.ts'
import { addInbox, whoAskedWhom } from '../inbox/index.ts'
import { watchedIn } from '../permissions/index.ts'
import { calledAs, describeCall, whereOf } from '../sessions/index.ts'
import { resumeCallByPerson } from './resume.ts'
import type { Given, Person, Wait } from './wait.ts'
import { described, person as does, forPerson } from './words.ts'

/** Waits for a decision about protected files that the call changed; its result is known already. */
interface ChangesPark extends Park, Pick<Asked, 'changesRights' | 'always'> {
  /** Also the name of what was put aside. */
  readonly inboxId: string
  readonly paths: readonly string[]
  readonly count: number
  readonly result: ToolOutput
}

/** Protected files changed while a command ran, and were put aside: a person decides whether they come back. */
export function parkForChanges(context: ToolContext, aside: AsideSet, result: ToolOutput): Park | ToolOutput {
  const where = pathsIn(aside)
  if (context.unattended === 'deny') {
    retireAside(watchedIn(context.core).aside, aside.id)
    return noted(result, `${changed(where)} It was undone, because nobody is there to approve it.`)
  }
  const always = where.paths.map((path) => `write_file(${exactly(path)})`)
  const park: ChangesPark = { park: 'changes', inboxId: aside.id, ...where, result, changesRights: true, always }
  return park
}

const person: Person = {
  wanted: 'your decision',
  item: async (core, tx, session, call) => {
    const { inboxId: id = '', paths = [], count = paths.length } = waitsForOf<ChangesPark>(call)
    const where = { paths, count }
    const aside = readAside(watchedIn(core).aside, id)
    const lineage = await whoAskedWhom(tx.db, session, await findTurn(tx.db, call.turn_id))
    return itemFor(core, tx, session, where, describeCall(call, session.workspace, because(where), lineage), aside)
  },
  decide,
  commands: (id) => [
    does('let the changes stand', `troupe inbox approve ${id}`),
    does('drop them', `troupe inbox deny ${id} --reason "…"`),
  ],
}

export const changes: Wait = {
  person,
  stopsClock: true,
  endedBy: 'nobody',
  async endedEarly(_db, call, { said, by }) {
    const { paths = [], count = paths.length, result = { output: '' } } = waitsForOf<ChangesPark>(call)
    return noted(
      result,
      `${changed({ paths, count })} It was undone, and nobody decided about it: ${by === undefined ? said : `${by.who} said instead: ${by.words}`}`,
    )
  },
  why: (sight, call) =>
    forPerson(sight, call, person, {
      kind: 'approval',
      says: 'for your approval of what a command changed',
      label: () => described(sight, call),
    }),
}

async function decide(
  core: Core,
  tx: Tx,
  session: SessionRow,
  call: CallRow,
  { decision, reason }: Given,
): Promise<void> {
  const {
    inboxId: aside = '',
    paths = [],
    count = paths.length,
    result = { output: '' },
  } = waitsForOf<ChangesPark>(call)
  const what = changed({ paths, count })
  const note =
    decision === 'deny'
      ? `${what} The person denied it${reason ? ` (${reason})` : ''}, and it was undone. Do not try the same by another way.`
      : `${what} The person approved it, and it is in place.`
  const how = decision === 'deny' ? 'denied' : `approved (${decision})`
  await resumeCallByPerson(core, tx, session, call, { result: noted(result, note) }, how)
  settle(core, tx, aside, decision !== 'deny')
}

/** Asks about what a command changed whose call is over: it ran in the background, or the server was killed. */
export async function askAboutChanges(core: Core, aside: AsideSet): Promise<void> {
  if (!(await findSession(core.store.read, aside.owner))) return
  await onSession(core, aside.owner, 'changes.ask', async (tx, session) => {
    if (await findInbox(tx.db, aside.id)) return
    const where = pathsIn(aside)
    const body = `A command in ${visible(aside.workspace)}\nAsked because ${because(where)}.`
    await addInbox(tx, session, { id: aside.id, action: 'changes', ...itemFor(core, tx, session, where, body, aside) })
  })
}

/** The person is told, once a session, that protected files may have changed where nobody looked. */
export const tellUnseen = (core: Core, sessionId: string, note: string): Promise<void> =>
  onSession(core, sessionId, 'changes.unseen', async (tx, session) => {
    await addInbox(tx, session, {
      id: `inbox_unseen_${session.id}`,
      kind: 'notice',
      title: `${calledAs(session)} works in a folder that could not be looked through`,
      body: `After a command in ${visible(session.workspace)}: ${note} Look for new .env, .mcp.json, .git and .claude there before you use them, and remove what is not needed.`,
    })
  })

/** Those that a crash left between the end of a command and the question about it. */
export async function askAboutLeftChanges(core: Core): Promise<void> {
  for (const aside of listAsides(watchedIn(core).aside)) await askAboutChanges(core, aside)
}

/** What an answer does about changes for which no call waits; undefined when the item is about something else. */
export const answeringChanges = (
  { id, kind }: InboxRow,
  answer: InboxAnswer,
): ((core: Core, tx: Tx, session: SessionRow) => Promise<void>) | undefined =>
  kind === 'approval' && 'decision' in answer
    ? async (core, tx) => settle(core, tx, id, answer.decision !== 'deny')
    : undefined

/** Done before the commit, and again without harm: if the commit fails the item stays open. */
function settle(core: Core, tx: Tx, id: string, approved: boolean): void {
  const places = watchedIn(core)
  const root = places.aside
  const aside = readAside(root, id)
  const others = approved ? putInPlace(root, id) : []
  if (others.length > 0)
    throw new AppError(
      'inbox.bad_answer',
      `Nothing was put in place: it cannot be at ${others.map(shownName).join(', ')}.`,
      {
        hint: 'Something else stands there by now, the folder is gone or a link, or it is no file. Make room and approve again, or deny what the command wrote.',
      },
    )
  if (aside !== undefined && approved)
    noteStands(new Map(aside.changes.map(({ path, after }) => [path, after])), places)
  tx.after(() => (approved ? discardAside : retireAside)(root, id))
}

function itemFor(
  core: Core,
  tx: Tx,
  session: SessionRow,
  { paths, count }: Where,
  about: string,
  aside: AsideSet | undefined,
) {
  const named = paths.map((path) => shownName(relative(session.workspace, path)))
  tx.after(() => core.security('approval.asked', whereOf(session.id, session.agent), `changed ${named.join(', ')}`))
  const title = `While ${calledAs(session)} ran a command, ${shorten(named.join(', '), 80)}${andMore(count - paths.length)} changed (changes what agents may do)`
  return { kind: 'approval' as const, title, body: `${about}\n${visible(aside?.diff ?? '')}` }
}

const PATHS = 20

/** The first of the paths that changed, and how many there are. */
type Where = Pick<ChangesPark, 'paths' | 'count'>

/** The files and folders that were changed; of a new folder only the folder. */
function pathsIn({ changes, moved }: AsideSet): Where {
  const all = [...changes, ...moved].map(({ path }) => path)
  const added = new Set(changes.filter(({ before }) => before === undefined).map(({ path }) => path))
  const paths = all.filter((path) => ![...added].some((one) => path.startsWith(`${one}/`)))
  return { paths: paths.slice(0, PATHS), count: paths.length }
}

const andMore = (count: number): string => (count > 0 ? ` and ${count} more` : '')

/** Who changed it is not known. */
const because = ({ count }: Where): string =>
  `${count === 1 ? 'a protected path' : `${count} protected paths`} changed while the command ran, which changes what agents may do; it was put aside. If the change is your own, approve it`

const changed = ({ paths, count }: Where): string =>
  `[While the command ran, ${paths.map(shownName).join(', ')}${andMore(count - paths.length)} changed, which changes what agents may do.]`

const noted = (result: ToolOutput, note: string): ToolOutput => ({
  ...result,
  output: typeof result.output === 'string' ? `${result.output}\n${note}` : { result: result.output, note },
})
