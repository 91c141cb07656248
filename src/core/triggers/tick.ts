import type { ActionOf } from '../../contract/triggers.ts'
import { latestFireWithSession } from '../../store/fires.ts'
import { findSession, handleOf } from '../../store/sessions.ts'
import { type Core, changing, type Tx } from '../base/index.ts'
import { agentFor, findAgent, ownFolder } from '../config/index.ts'
import { limitsOf, post } from '../mail/index.ts'
import { addSession, newSession, placeFor, want } from '../sessions/index.ts'
import type { Action, Done, Firing, PreparedAct } from './action.ts'
import { readHeartbeat } from './heartbeats.ts'

type Tick = ActionOf<'tick'>

/** One tick of a daemon: a fresh session that reads the heartbeat file. Whoever starts a daemon has checked it. */
export const tickAction: Action<Tick> = { check: async () => {}, prepare }

async function prepare(core: Core, firing: Firing, { agent: name, heartbeat }: Tick): Promise<PreparedAct> {
  const { row, project, chain, from } = firing
  const agent = await findAgent(core, project, name)
  const definition = agentFor(agent, 'daemon')
  const content = readHeartbeat(agent, project, heartbeat)
  const limits = await limitsOf(core, project)
  const place = {
    workspace: ownFolder(core, project, definition),
    wakeBudget: limits.autoWakeBudget,
    ...placeFor(core, definition),
  }
  return {
    async run(tx) {
      const running = await stillRunning(tx, row.id)
      if (running !== undefined) return { skip: running, tells: 'record' }
      const session = newSession(project, { agent: agent.name, mode: 'daemon', title: row.name }, tx.now, place)
      await addSession(tx, session)
      const receipt = await changing(tx, session, async (_, fresh) => {
        want(tx, fresh)
        return post(core, tx, fresh, {
          to: fresh.id,
          from,
          content,
          clientId: `fire:${row.id}:${firing.occasion}`,
          chain,
        })
      })
      tx.after(() => core.wake(session.id))
      const handle = await handleOf(tx.db, session.project_id, session.id)
      const done: Done = { result: { mailId: receipt.mailId, session: handle }, sessionId: session.id }
      return done
    },
  }
}

/** A tick that has not ended when the next is due is not joined by another. */
async function stillRunning(tx: Tx, trigger: string): Promise<string | undefined> {
  const last = await latestFireWithSession(tx.db, trigger)
  const session = last?.session_id == null ? undefined : await findSession(tx.db, last.session_id)
  if (session === undefined || session.status === 'closed' || session.deleted_at !== null) return undefined
  const handle = await handleOf(tx.db, session.project_id, session.id)
  return `The tick before is not over: session ${handle} is ${session.status}.`
}
