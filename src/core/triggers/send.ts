import { AppError } from '../../contract/errors.ts'
import type { SessionId } from '../../contract/ids.ts'
import { type ActionOf, HEARTBEAT_OK } from '../../contract/triggers.ts'
import { quote } from '../../lib/shell/quote.ts'
import { findSession, handleOf } from '../../store/sessions.ts'
import type { Core } from '../base/index.ts'
import { findAgent, listAgents } from '../config/index.ts'
import { limitsOf, lookAtInvocation, partyOf, post, reachable, resolveAddress, type Speaker } from '../mail/index.ts'
import type { Action, Firing, MadeBy, PreparedAct } from './action.ts'
import { eventWords } from './event-words.ts'

type Send = ActionOf<'send'>

const QUIET = `If nothing needs to be done, answer ${HEARTBEAT_OK} and nothing else.`

/** Delivers mail to an address. What an agent's trigger may reach is judged when it is made and each time it fires. */
export const sendAction: Action<Send> = {
  async check(core, by, action) {
    if (by.owner === undefined) {
      if (action.to === undefined) throw missing()
      await mustBeKnown(core, by, action)
      return
    }
    if (action.unattended !== undefined) {
      throw new AppError('trigger.invalid', 'action.unattended: only a person may leave work unattended.', {
        hint: 'Leave "unattended" out.',
      })
    }
    if (action.to !== undefined) await mustBeReached(core, by, await judged(core, by.owner, action), action.to)
  },
  prepare,
}

async function prepare(core: Core, firing: Firing, action: Send): Promise<PreparedAct> {
  const { row, project, chain, from } = firing
  const clientId = `fire:${row.id}:${firing.occasion}`
  const to = await whoGets(core, firing, action, clientId)
  await lookAtInvocation(core, { to, from, content: action.message })
  const limits = await limitsOf(core, project)
  return {
    sessionId: to,
    async run(tx, session) {
      const draft = {
        to,
        from,
        content: [action.message, ...eventWords(firing).map(quote), ...(row.type === 'heartbeat' ? [QUIET] : [])].join(
          '\n\n',
        ),
        followup: action.followup,
        clientId,
        chain,
        limits,
      }
      const { mailId, outcome } = await post(core, tx, session!, draft)
      tx.after(() => core.wake(to))
      const handle = await handleOf(tx.db, session!.project_id, to)
      return { result: { mailId, outcome, session: handle }, sessionId: to }
    },
  }
}

/** The session that gets the mail; one that has to be made is found again after a crash. */
async function whoGets(core: Core, { row, project }: Firing, action: Send, clientId: string): Promise<SessionId> {
  const { to, session } = action
  const owner = row.owner_session_id
  if (to === undefined) {
    if (owner === null) throw missing()
    const found = await findSession(core.store.read, owner)
    if (found === undefined || found.deleted_at !== null) throw gone()
    return owner
  }
  const by: Speaker = owner === null ? { kind: 'human', project } : await judged(core, owner, action)
  const found = await resolveAddress(core, by, to, { session, clientId, content: action.message })
  if (found.to === 'session') return found.sessionId
  if (found.to === 'everyone')
    throw new AppError('trigger.invalid', 'action.to: a trigger sends to one session.', {
      hint: 'Have the coordinator tell the others.',
    })
  throw new AppError('trigger.invalid', 'action.to: a trigger sends to agents, not to the person.', {
    hint: 'Have an agent look, and tell the person when there is something to tell.',
  })
}

/** As if the agent sent it now. */
async function judged(core: Core, owner: SessionId, { to, session, message }: Send): Promise<Speaker> {
  const party = await partyOf(core, owner)
  await party.judge('agent_send', { to, message, ...(session === undefined ? {} : { session }) })
  if (to === 'human') {
    throw new AppError('trigger.invalid', 'action.to: a trigger sends to agents, not to the person.', {
      hint: 'Leave "to" out to be woken yourself, and write to the person then.',
    })
  }
  return party
}

/** Whom an agent may not reach now it may not have woken later. Nothing is made to find that out. */
async function mustBeReached(core: Core, { project }: MadeBy, by: Speaker, to: string): Promise<void> {
  const isAgent = (await listAgents(core, project)).some(({ name }) => name === to)
  if (!isAgent) return void (await resolveAddress(core, by, to))
  if (by.kind === 'human' || by.mayReach(to)) return
  throw new AppError('address.not_allowed', `You may not reach ${to}.`, { hint: await reachable(core, by) })
}

/** A name that nobody has is a mistake now, not later. */
async function mustBeKnown(core: Core, { project }: MadeBy, { to }: Send): Promise<void> {
  const isAgent = (await listAgents(core, project)).some(({ name }) => name === to)
  // A session of an agent is made when it is needed.
  if (isAgent) await findAgent(core, project, to!)
  else await resolveAddress(core, { kind: 'human', project }, to!)
}

const missing = (): AppError =>
  new AppError('trigger.invalid', 'action.to: say who gets the message.', {
    hint: 'An agent by name, or a session by its handle.',
  })

const gone = (): AppError => new AppError('session.deleted', 'The session that made this trigger was deleted.')
