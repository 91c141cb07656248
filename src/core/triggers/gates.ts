import type { Event } from '../../contract/events.ts'
import { HeartbeatGate, type TriggerAction, type When } from '../../contract/triggers.ts'
import { stampFolder } from '../../lib/files/stamp.ts'
import { readObject } from '../../store/drivers/unreadable.ts'
import { chainsOfFires } from '../../store/fires.ts'
import { sessionModes } from '../../store/sessions.ts'
import type { TriggerRow } from '../../store/tables.ts'
import { newestMailFor } from '../../store/trigger-looks.ts'
import { actionIn, lockTrigger, updateTrigger } from '../../store/triggers.ts'
import { type Core, latestSeq, type Project, readEvents, transact } from '../base/index.ts'
import { agentFor, findAgent, ownFolder } from '../config/index.ts'
import { causesOf } from './cause.ts'

/** What a heartbeat saw when it last looked. */
interface Seen {
  /** When the newest mail for whoever it wakes came. */
  readonly mail: number
  /** Events up to here. */
  readonly event: string
  /** A digest of the files of the workspace. */
  readonly files: string
}

/** Which gate has something new, and what was seen, to compare with next time. */
interface News {
  readonly new: HeartbeatGate | 'always' | undefined
  readonly seen: string
}

/** Looks whether something is new; no model is asked. */
export async function newsFor(
  core: Core,
  row: TriggerRow,
  project: Project,
  onlyIf: readonly HeartbeatGate[] = HeartbeatGate.options,
): Promise<News> {
  const before = readObject<Seen>({ table: 'triggers', key: row.id, column: 'seen' }, row.seen)
  const action = actionIn(row)
  const now = await see(core, project, action)
  const seen = JSON.stringify({ ...now, event: before.event ?? now.event })
  if (onlyIf.length === 0) return { new: 'always', seen }
  if (onlyIf.includes('mail') && now.mail > (before.mail ?? now.mail)) return { new: 'mail', seen }
  if (onlyIf.includes('files') && before.files !== undefined && now.files !== before.files)
    return { new: 'files', seen }
  if (!onlyIf.includes('event')) return { new: undefined, seen }
  const { found, cursor } = await newEvent(core, project, before.event ?? now.event)
  return { new: found ? 'event' : undefined, seen: JSON.stringify({ ...now, event: cursor }) }
}

/** What there is when a heartbeat begins: only what comes later is new. */
export async function seenNow(
  core: Core,
  project: Project,
  when: When,
  action: TriggerAction | undefined,
): Promise<string> {
  return when.type === 'heartbeat' ? JSON.stringify(await see(core, project, action)) : '{}'
}

/** A tick has ended: the files are as it left them, so its own changes are not new to the next one. */
export async function settleFiles(core: Core, row: TriggerRow, project: Project): Promise<void> {
  const { files } = await see(core, project, actionIn(row))
  await transact(core, 'trigger.seen', async (tx) => {
    const fresh = await lockTrigger(tx.db, row.id)
    if (fresh === undefined) return
    const before = readObject<Seen>({ table: 'triggers', key: row.id, column: 'seen' }, fresh.seen)
    await updateTrigger(tx.db, row.id, { seen: JSON.stringify({ ...before, files }) })
  })
}

async function see(core: Core, project: Project, action: TriggerAction | undefined): Promise<Seen> {
  const agent = agentIn(action)
  return {
    mail: agent === undefined ? 0 : await newestMailFor(core.store.read, project.id, agent),
    event: await latestSeq(core),
    files: await stampFolder(await folderOf(core, project, agent)),
  }
}

const agentIn = (action: TriggerAction | undefined): string | undefined => {
  if (action?.type === 'tick' || action?.type === 'create_task' || action?.type === 'run_skill') return action.agent
  return action?.type === 'send' ? action.to : undefined
}

/** The folder that the agent works in when it is called by itself. */
async function folderOf(core: Core, project: Project, agent: string | undefined): Promise<string> {
  if (agent === undefined) return project.path
  try {
    return ownFolder(core, project, agentFor(await findAgent(core, project, agent), 'daemon'))
  } catch {
    return project.path
  }
}

const PAGE = 200
const PAGES = 20

/** Whether somebody did something. What triggers cause is no news, or they would wake each other for ever. */
async function newEvent(core: Core, project: Project, after: string): Promise<{ found: boolean; cursor: string }> {
  let cursor = after
  for (let page = 0; page < PAGES; page += 1) {
    const { items, seq, full } = await readEvents(core, { after: cursor, limit: PAGE, project: project.id }).catch(
      async () => ({ items: [], seq: await latestSeq(core), full: false }),
    )
    cursor = seq
    if ((await byOthers(core, items)).length > 0) return { found: true, cursor: await latestSeq(core) }
    if (!full) return { found: false, cursor }
  }
  return { found: true, cursor: await latestSeq(core) }
}

const quiet = /^(trigger|log|inbox)(\.|$)/

async function byOthers(core: Core, events: readonly Event[]): Promise<Event[]> {
  const loud = events.filter(({ type }) => !quiet.test(type))
  const causes = await causesOf(core.store.read, loud)
  const chains = new Set(
    await chainsOfFires(
      core.store.read,
      [...causes.values()].map(({ id }) => id),
    ),
  )
  const modes = await sessionModes(
    core.store.read,
    loud.flatMap(({ sessionId }) => sessionId ?? []),
  )
  return loud.filter(
    (event) => !chains.has(causes.get(event)?.id ?? '') && modes.get(event.sessionId ?? '') !== 'daemon',
  )
}
