import type { Top, TopItem } from '../../contract/top.ts'
import { iso } from '../../lib/clock.ts'
import { spentOf } from '../../store/cost.ts'
import { countAll } from '../../store/counts.ts'
import { findProjectPath } from '../../store/projects.ts'
import { handleOf } from '../../store/sessions.ts'
import type { SessionRow } from '../../store/tables.ts'
import { findTask } from '../../store/tasks.ts'
import { countAtWork, countOpenTasks, sessionsAtWork, writtenSince } from '../../store/top.ts'
import type { Core, Project, Read } from '../base/index.ts'
import { effectiveSettings } from '../config/index.ts'
import type { Look } from './reason.ts'
import { sessionReason } from './session.ts'

const SHOWN = 100
const WINDOW_MS = 60_000

/** All that runs or waits, each with what it does in one line; computed from rows, as `why` is. */
export async function top(core: Core, project: Project | '*', read: Read): Promise<Top> {
  const { limits } = (await effectiveSettings(core, core.project)).settings
  const scope = project === '*' ? '*' : project.id
  const now = core.clock.now()
  return read(async (db) => {
    const look = { core, db, now, limits }
    const sessions = await sessionsAtWork(db, scope, SHOWN)
    const written = await writtenSince(db, now - WINDOW_MS)
    const tasks = await countOpenTasks(db, scope)
    const { today, inboxOpen } = await countAll(db, new Date(now).setHours(0, 0, 0, 0), scope)
    const ofTasks = (status: string): number => tasks.get(status) ?? 0
    const items: TopItem[] = []
    for (const { session, depth } of asTree(sessions)) items.push(await itemOf(look, session, depth, written))
    return {
      items,
      more: (await countAtWork(db, scope)) - sessions.length,
      tasks: { pending: ofTasks('pending'), processing: ofTasks('processing'), waiting: ofTasks('waiting') },
      inbox: inboxOpen,
      tokensPerSecond: items.reduce((sum, item) => sum + item.tokensPerSecond, 0),
      costTodayUsd: today.costUsd,
      unpricedTokensToday: today.unpricedTokens,
    }
  })
}

async function itemOf(
  look: Omit<Look, 'project'>,
  session: SessionRow,
  depth: number,
  written: ReadonlyMap<string, number>,
): Promise<TopItem> {
  const { db } = look
  const reason = await sessionReason({ ...look, project: session.project_id }, session)
  const task = session.task_id === null ? undefined : await findTask(db, session.task_id)
  const [first] = reason.waitsOn
  return {
    sessionId: session.id,
    handle: await handleOf(db, session.project_id, session.id),
    agent: session.agent,
    mode: session.mode,
    project: (await findProjectPath(db, session.project_id)) ?? session.project_id,
    title: session.title,
    status: session.status,
    depth,
    ...(task === undefined ? {} : { taskId: task.id, taskStatus: task.status }),
    activity: first === undefined ? reason.says : inOneLine(reason.says, first.label),
    since: iso(reason.since),
    tokensPerSecond: Math.round(((written.get(session.id) ?? 0) / (WINDOW_MS / 1000)) * 10) / 10,
    ...spentOf(session),
  }
}

/** "for your approval of bash" and "bash: ls" name the tool once. */
function inOneLine(says: string, label: string): string {
  const last = says.split(' ').at(-1)!
  return label.startsWith(`${last}: `) ? `${says}${label.slice(last.length)}` : `${says}: ${label}`
}

/** Each session behind the one that made it. */
function asTree(sessions: readonly SessionRow[]): { session: SessionRow; depth: number }[] {
  const ids = new Set(sessions.map(({ id }) => id))
  const under = Map.groupBy(sessions, ({ parent_session_id: parent }) =>
    parent !== null && ids.has(parent) ? parent : '',
  )
  const branch = (id: string, depth: number): { session: SessionRow; depth: number }[] =>
    (under.get(id) ?? []).flatMap((session) => [{ session, depth }, ...branch(session.id, depth + 1)])
  return branch('', 0)
}
