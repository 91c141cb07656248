import { AppError } from '../../contract/errors.ts'
import type { RunId, SessionId } from '../../contract/ids.ts'
import type { Why, WhyUnblock } from '../../contract/why.ts'
import { shorten } from '../../lib/shorten.ts'
import { selectRuns } from '../../store/runs.ts'
import { findSession } from '../../store/sessions.ts'
import type { Core, Project, Read } from '../base/index.ts'
import { effectiveSettings } from '../config/index.ts'
import { findByRef } from '../sessions/index.ts'
import { moment, nameOf } from '../waits/index.ts'
import { callReason } from './call.ts'
import { inboxReason, isListedItem } from './inbox.ts'
import { mailReason } from './mail.ts'
import { nodeReason } from './node.ts'
import { type Look, lasting, type Reason } from './reason.ts'
import { runReason } from './run.ts'
import { sessionReason } from './session.ts'
import { taskReason } from './task.ts'
import { triggerReason } from './trigger.ts'

/** Why something does not go on: computed from rows at one moment, the same words for every client. */
export async function why(core: Core, project: Project, ref: string, read: Read): Promise<Why> {
  const { limits } = (await effectiveSettings(core, core.project)).settings
  return read(async (db) => {
    const look: Look = { core, db, project: project.id, now: core.clock.now(), limits }
    const reason = await reasonOf(look, ref)
    const chain = await followed(look, reason)
    const unblock = distinct([...chain.unblock, ...reason.unblock]).slice(0, UNBLOCK)
    return {
      ref: reason.ref,
      state: reason.state,
      since: new Date(reason.since).toISOString(),
      waitsOn: [...reason.waitsOn],
      wakes: reason.wakes,
      unblock,
      text: wholeText(look, reason, chain.lines, unblock),
    }
  })
}

/** A session above all; the ids of inbox items are listed without the "inbox_" that all of them begin with. */
async function reasonOf(look: Look, ref: string): Promise<Reason> {
  try {
    return await reasonNamed(look, ref)
  } catch (error) {
    const nothing = error instanceof AppError && /\.(not_found|bad_ref)$/.test(error.code)
    if (!nothing || !(await isListedItem(look, ref))) throw error
    return inboxReason(look, `inbox_${ref}`)
  }
}

async function reasonNamed(look: Look, ref: string): Promise<Reason> {
  const kind = /^(call|task|mail|inbox|trigger|run|node)_/.exec(ref)?.[1]
  if (kind === 'call') return callReason(look, ref)
  if (kind === 'task') return taskReason(look, ref)
  if (kind === 'mail') return mailReason(look, ref)
  if (kind === 'inbox') return inboxReason(look, ref)
  if (kind === 'trigger') return triggerReason(look, ref)
  if (kind === 'run' || ref === LATEST) return runReason(look, await runNamed(look, ref))
  if (kind === 'node') return nodeReason(look, ref)
  if (!/^[0-9a-f-]{4,64}$/i.test(ref)) {
    throw new AppError('session.bad_ref', `"${shorten(ref, 80)}" is nothing that can be asked about.`, {
      hint: 'Use the handle of a session, or the id of a call, task, mail, inbox item, trigger, run or node, or "latest" for the newest run (call_…, task_…, mail_…, inbox_…, trigger_…, run_…, node_…).',
    })
  }
  return sessionReason(look, await findByRef(look.db, look.project, ref))
}

const LATEST = 'latest'
const NAMED = 200

/** The newest run here, or the one whose id begins so; what fits none or several stays as it is. */
async function runNamed({ db, project }: Look, ref: string): Promise<RunId> {
  const found = await selectRuns(db, { project, archived: true, limit: ref === LATEST ? 1 : NAMED })
  if (ref === LATEST) return found[0]?.id ?? ref
  const fitting = found.filter(({ id }) => id.startsWith(ref))
  return fitting.length === 1 ? fitting[0]!.id : ref
}

const FOLLOWED = 10
const UNBLOCK = 20

/** Follows waits from session to session, so that the end of a chain of waits is seen from its beginning. */
async function followed(look: Look, first: Reason): Promise<{ lines: string[]; unblock: WhyUnblock[] }> {
  const lines: string[] = []
  const unblock: WhyUnblock[] = []
  const seen = new Set<SessionId>([first.ref])
  const next = (first.follows ?? []).map((id) => ({ id, depth: 1 }))
  for (let step = next.shift(); step !== undefined; step = next.shift()) {
    if (seen.has(step.id)) continue
    seen.add(step.id)
    const session = await findSession(look.db, step.id)
    if (session === undefined) continue
    if (lines.length === FOLLOWED) {
      lines.push(`  … and further: troupe why ${(await nameOf(look, session)).ref}`)
      break
    }
    const reason = await sessionReason(look, session)
    lines.push(`${'  '.repeat(step.depth)}→ ${reason.who} ${reason.says} (${lasting(look.now - reason.since)})`)
    const on = reason.follows ?? []
    // Only the last session of the line can be unblocked: the ones before it follow, and a running one needs nobody.
    if (on.length === 0 && reason.state !== 'running') unblock.push(...reason.unblock)
    next.unshift(...on.map((id) => ({ id, depth: step.depth + 1 })))
  }
  return { lines, unblock }
}

function wholeText(look: Look, reason: Reason, chain: readonly string[], unblock: readonly WhyUnblock[]): string {
  const { who, says, since, past, waitsOn, notes = [], wakes } = reason
  const long = lasting(look.now - since)
  return [
    `${who} ${says}, ${past ? `${long} ago (${moment(since)})` : `for ${long} (since ${moment(since)})`}.`,
    ...waitsOn.map(({ kind, ref, label }) => `  ${kind} ${ref}: ${label}`),
    ...chain,
    ...notes,
    `Next: ${wakes.label}.`,
    ...(unblock.length === 0 ? [] : ['Who can change that:', ...unblock.map(unblockLine)]),
  ].join('\n')
}

const unblockLine = ({ who, does, command }: WhyUnblock): string =>
  command === undefined ? `  ${who} ${does}` : `  ${command}   (${does})`

const distinct = (list: readonly WhyUnblock[]): WhyUnblock[] =>
  list.filter((one, at) => list.findIndex(({ who, command }) => who === one.who && command === one.command) === at)
