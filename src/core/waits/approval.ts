import { asSentence } from '../../lib/text.ts'
import { insertGrant } from '../../store/grants.ts'
import type { CallRow, SessionRow } from '../../store/tables.ts'
import { findTurn } from '../../store/turns.ts'
import { type Asked, aboutSession, type Core, type Park, type Tx } from '../base/index.ts'
import { whoAskedWhom } from '../inbox/index.ts'
import { askedOf } from '../permissions/index.ts'
import { calledAs, describeCall, whereOf } from '../sessions/index.ts'
import { resumeCallByPerson } from './resume.ts'
import type { Given, Person, Wait } from './wait.ts'
import { described, forPerson, person } from './words.ts'

/** A person decides whether exactly this call may run. */
export function parkForApproval({ because, changesRights, bound, always }: Asked): Park {
  const asked: Asked = { because, changesRights, bound, always }
  return { park: 'approval', ...asked }
}

const byPerson: Person = {
  wanted: 'your decision',
  item: askWhether,
  decide,
  commands: (id) => [
    person('let it run', `troupe inbox approve ${id}`),
    person('refuse it', `troupe inbox deny ${id} --reason "…"`),
  ],
}

export const approval: Wait = {
  person: byPerson,
  stopsClock: true,
  endedBy: 'nobody',
  endedEarly: async (_db, _call, { said, by }) => ({
    output: by === undefined ? said : `Denied: ${by.who} said instead: ${by.words}`,
    error: true,
  }),
  why: (sight, call) =>
    forPerson(sight, call, byPerson, {
      kind: 'approval',
      says: `for your approval of ${call.name}`,
      label: () => described(sight, call),
    }),
}

async function askWhether(core: Core, tx: Tx, session: SessionRow, call: CallRow): ReturnType<Person['item']> {
  const { because = '', changesRights } = askedOf(call)
  const lineage = await whoAskedWhom(tx.db, session, await findTurn(tx.db, call.turn_id))
  tx.after(() => {
    const where = whereOf(session.id, session.agent)
    core.security('approval.asked', where, [`${call.inbox_id} ${call.name}: ${because}`, ...lineage].join('\n'))
  })
  return {
    kind: 'approval',
    title: `${calledAs(session)} wants to use ${call.name}${changesRights ? ' (changes what agents may do)' : ''}`,
    body: describeCall(call, session.workspace, because, lineage),
  }
}

async function decide(
  core: Core,
  tx: Tx,
  session: SessionRow,
  call: CallRow,
  { decision, reason }: Given,
): Promise<void> {
  if (decision === 'deny') {
    const output = `Denied by the person${reason ? `: ${asSentence(reason)}` : '.'} Do not try the same by another way.`
    await resumeCallByPerson(core, tx, session, call, { result: { output, error: true } }, 'denied')
    tx.record('tool.denied', aboutSession(session), {
      callId: call.id,
      name: call.name,
      reason: reason ?? 'denied by the person',
    })
    return
  }
  const { bound = null, always = [] } = askedOf(call)
  await resumeCallByPerson(core, tx, session, call, { approved: bound }, `approved (${decision})`)
  if (decision !== 'session') return
  for (const rule of always) await insertGrant(tx.db, session.id, rule, tx.now)
}
