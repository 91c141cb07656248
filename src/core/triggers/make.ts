import type { Agent, AgentFile } from '../../contract/agents.ts'
import { AppError } from '../../contract/errors.ts'
import type { SessionId, TriggerId } from '../../contract/ids.ts'
import type { CatchUp, Trigger, TriggerAction, When } from '../../contract/triggers.ts'
import { iso } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import { shorten } from '../../lib/shorten.ts'
import { putProject } from '../../store/projects.ts'
import { findSession } from '../../store/sessions.ts'
import type { Db, TriggerRow } from '../../store/tables.ts'
import {
  countTriggersIn,
  countTriggersOf,
  findDaemon,
  findTriggerByCall,
  findTriggerByClient,
  insertTrigger,
  toTrigger,
} from '../../store/triggers.ts'
import { type Chain, type Core, latestSeq, type Project, type Tx, transact } from '../base/index.ts'
import { nextHop } from '../mail/index.ts'
import { makersFor } from '../permissions/index.ts'
import { checkAction } from './actions.ts'
import { seenNow } from './gates.ts'
import { setTimer } from './ledger.ts'
import { seriesOf } from './occurrences.ts'
import { AGENT_GAP_MS } from './prepare.ts'

/** A call of an agent that makes a trigger. */
interface Call {
  readonly sessionId: SessionId
  readonly callId: string
  readonly agent: Agent
  readonly definition: AgentFile
  readonly chain: Chain
}

/** What is to be made: what people and agents can ask for, and what a daemon is made of. */
type Wanted = When & {
  readonly name?: string | undefined
  readonly action: TriggerAction
  readonly catchUp?: CatchUp | undefined
  readonly maxFires?: number | undefined
  readonly clientId?: string | undefined
  readonly daemon?: string
}

const AGENT_FIRES = 20
const AGENT_TRIGGERS = 20
const PROJECT_TRIGGERS = 1000
/** How many occurrences are looked at to see how far they are apart. */
const LOOKED_AT = 20

/** Makes a trigger for a person, or for an agent by a call of its own. The same request or call again finds it. */
export async function createTrigger(core: Core, project: Project, wanted: Wanted, call?: Call): Promise<Trigger> {
  const earlier = await madeBefore(core.store.read, project, wanted, call)
  if (earlier) return toTrigger(earlier)
  const when = stored(wanted, core.clock.now())
  if (call) checkForAgent(core, when)
  mustKeep(core, wanted.action)
  await checkAction(core, { project, ...(call && { owner: call.sessionId }) }, wanted.action)
  const cursor = when.type === 'on_event' ? await latestSeq(core) : null
  const seen = await seenNow(core, project, when, wanted.action)
  const row = await transact(core, 'trigger.create', async (tx) => {
    // Of two requests with the same key the second waits here, and sees what the first made.
    await putProject(tx.db, project, tx.now)
    const made = await madeBefore(tx.db, project, wanted, call)
    if (made) return made
    await mustHaveRoom(tx, project, call)
    const fresh = await rowFor(tx, project, wanted, when, call)
    const whole = { ...fresh, event_cursor: cursor, seen }
    await insertTrigger(tx.db, whole)
    const about = { project: project.id, ...(call && { sessionId: call.sessionId }) }
    tx.record('trigger.created', about, { triggerId: whole.id, name: whole.name, type: whole.type })
    await setTimer(tx, whole, whole.next_due ?? undefined)
    return whole
  })
  return toTrigger(row)
}

async function madeBefore(db: Db, project: Project, wanted: Wanted, call?: Call): Promise<TriggerRow | undefined> {
  if (call) return findTriggerByCall(db, call.sessionId, call.callId)
  if (wanted.daemon !== undefined) return findDaemon(db, project.id, wanted.daemon)
  return wanted.clientId === undefined ? undefined : findTriggerByClient(db, project.id, wanted.clientId)
}

/** A delay is kept as the moment at which it is over. */
export function stored({ type, config }: When, now: number): When {
  if (type === 'delayed') return { type: 'at_time', config: { at: iso(now + Math.round(config.delaySeconds * 1000)) } }
  return { type, config } as When
}

/** The first moment at which a trigger is due; throws when it could never be. */
export function firstDue(when: When, anchor: number): number | null {
  if (when.type === 'on_event') return null
  if (when.type === 'on_idle') return anchor + when.config.idleSeconds * 1000
  if (when.type === 'at_time') return Date.parse(when.config.at)
  const first = seriesOf(when, anchor)!.next(anchor)
  if (first !== undefined) return first
  throw new AppError('trigger.invalid', 'config.cron: this schedule never comes.', {
    hint: 'Check the day and the month.',
  })
}

/** What agents set up comes at least a minute apart, and looks before it asks a model. */
export function checkForAgent(core: Core, when: When): void {
  const refuse = (message: string, hint: string): never => {
    throw new AppError('trigger.invalid', message, { hint })
  }
  const gap = AGENT_GAP_MS / 1000
  if (when.type === 'scheduled') {
    const series = seriesOf(when, 0)!
    let before = series.next(core.clock.now())
    for (let looked = 0; looked < LOOKED_AT && before !== undefined; looked += 1) {
      const after = series.next(before)
      if (after !== undefined && after - before < AGENT_GAP_MS)
        refuse(`config.cron: comes more often than every ${gap} s.`, `Leave ${gap} s or more between two times.`)
      before = after
    }
  }
  if (when.type === 'heartbeat') {
    if (when.config.intervalSeconds < gap) refuse(`config.intervalSeconds: ${gap} is the least.`, 'Make it longer.')
    if (when.config.onlyIf?.length === 0)
      refuse('config.onlyIf: only a person may have a heartbeat act although nothing is new.', 'Leave "onlyIf" out.')
  }
  if (when.type === 'on_idle' && when.config.idleSeconds < gap)
    refuse(`config.idleSeconds: ${gap} is the least.`, 'Make it longer.')
}

/** The store hides secrets in what it keeps, and an action with half of its words would do something else. */
function mustKeep(core: Core, action: TriggerAction): void {
  const text = JSON.stringify(action)
  if (core.mask(text) === text) return
  throw new AppError('trigger.invalid', 'action: it holds a secret, which is not kept in triggers.', {
    hint: 'Take the secret out; a webhook is signed, so that its receiver knows who calls.',
  })
}

async function mustHaveRoom(tx: Tx, project: Project, call: Call | undefined): Promise<void> {
  if (call && (await countTriggersOf(tx.db, call.sessionId)) >= AGENT_TRIGGERS) {
    throw new AppError('trigger.too_many', `This session has ${AGENT_TRIGGERS} triggers already.`, {
      hint: 'Cancel one that is no longer needed: list_triggers, cancel_trigger.',
    })
  }
  if ((await countTriggersIn(tx.db, project.id)) < PROJECT_TRIGGERS) return
  throw new AppError('trigger.too_many', `This project has ${PROJECT_TRIGGERS} triggers already.`, {
    hint: 'Delete those that are over: troupe triggers list, troupe triggers delete <id>.',
  })
}

async function rowFor(
  tx: Tx,
  project: Project,
  wanted: Wanted,
  when: When,
  call: Call | undefined,
): Promise<TriggerRow> {
  const owner = call && (await findSession(tx.db, call.sessionId))
  const chain = call && nextHop(call.chain)
  const id: TriggerId = newId('trigger')
  return {
    id,
    project_id: project.id,
    name: wanted.name ?? nameFor(when, wanted.action),
    type: when.type,
    config: JSON.stringify(when.config),
    action: JSON.stringify(wanted.action),
    status: 'active',
    reason: null,
    catch_up: wanted.catchUp ?? 'one',
    max_fires: wanted.maxFires ?? (call ? AGENT_FIRES : null),
    fires: 0,
    made_by: call ? 'agent' : 'human',
    owner_session_id: call?.sessionId ?? null,
    call_id: call?.callId ?? null,
    client_id: wanted.clientId ?? null,
    daemon: wanted.daemon ?? null,
    makers: JSON.stringify(call && owner ? makersFor(owner, call.agent, call.definition) : []),
    chain_id: chain?.id ?? null,
    hops: chain?.hops ?? 0,
    anchor_at: tx.now,
    next_due: firstDue(when, tx.now),
    event_cursor: null,
    seen: '{}',
    last_at: null,
    last_outcome: null,
    created_at: tx.now,
    updated_at: tx.now,
  }
}

const NAME = 40

/** What people read in lists when nobody named it. */
function nameFor({ type }: When, action: TriggerAction): string {
  if (action.type === 'send') return shorten(action.message.trim().split('\n', 1)[0]!, NAME)
  if (action.type === 'create_task') return shorten(action.input.prompt.trim().split('\n', 1)[0]!, NAME)
  if (action.type === 'run_skill') return shorten(`/${action.skill} for ${action.agent}`, NAME)
  return action.type === 'tick' ? `${action.agent}/${action.heartbeat}` : `${type} ${action.type}`
}
