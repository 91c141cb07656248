import { AppError } from '../../contract/errors.ts'
import type { Event } from '../../contract/events.ts'
import { appendLines, continueLines, type LogLine } from '../../lib/files/lines.ts'
import { makeFolderInside, rewriteInside } from '../../lib/files/workspace-files.ts'
import { crashPoint } from '../../lib/process/crash.ts'
import { hasUnsettled } from '../../store/events.ts'
import { nodesOf } from '../../store/nodes.ts'
import { findRun, lockRun, updateRun } from '../../store/runs.ts'
import { findSession } from '../../store/sessions.ts'
import type { NodeRow, RunRow, TimerRow } from '../../store/tables.ts'
import { postponeTimer, takeTimer } from '../../store/timers.ts'
import { workersOf } from '../../store/workers.ts'
import {
  type Core,
  type EventPage,
  LATER_MS,
  leaveRunErrand,
  nodeFolder,
  readEvents,
  transact,
  workerFolder,
} from '../base/index.ts'
import { projectOfSession } from '../sessions/index.ts'
import { isRunHere, openRunFolder } from './folder.ts'
import { goalFile, historyFile, statusFile } from './pages.ts'
import { conversationLine, mailLine } from './record-lines.ts'
import { problemOf, tellUnwritten } from './unwritten.ts'

const PAGE = 200
/** How soon to look again for events that nobody is shown yet. */
const SETTLED_MS = 100

/**
 * Writes what happened since the last time to the files of a run. They are never the truth: each line is known by the
 * position of its event, so a crash leaves none out and none twice.
 */
export async function recordFiles(core: Core, timer: TimerRow): Promise<void> {
  const seen = await findRun(core.store.read, timer.ref)
  if (seen && !(await isRunHere(core, seen)))
    return transact(core, 'run.elsewhere', (tx) => postponeTimer(tx.db, timer, tx.now + LATER_MS, {}))
  const page = seen && (await write(core, seen))
  if (page !== undefined && 'problem' in page) {
    // Some of it may be there already.
    written.delete(keyOf(core, seen!))
    return tellUnwritten(core, timer, seen!, page.problem)
  }
  crashPoint('files.written')
  const recorded = await transact(core, 'run.files', async (tx) => {
    // The run comes first, as for whoever serves its board.
    const run = await lockRun(tx.db, timer.ref)
    if (!(await takeTimer(tx.db, timer)) || run === undefined || page === undefined) return false
    await updateRun(tx.db, run.id, { files_after: page.seq })
    if (page.full || (await hasMore(core, run, page.seq))) await leaveRunErrand(tx, 'files', run.id)
    else if (await hasUnsettled(tx.db, run.id)) await leaveRunErrand(tx, 'files', run.id, tx.now + SETTLED_MS)
    return true
  })
  if (recorded) remember(core, seen!, page!.seq)
}

/** Up to where this process has written the files of a run: what comes next cannot be in them. */
const written = new Map<string, string>()
const KEPT = 1000

const keyOf = ({ instance }: Core, { id }: RunRow): string => `${instance} ${id}`

const isClean = (core: Core, run: RunRow): boolean =>
  run.files_after !== null && written.get(keyOf(core, run)) === run.files_after

function remember(core: Core, run: RunRow, seq: string): void {
  if (written.size >= KEPT) written.clear()
  written.set(keyOf(core, run), seq)
}

/** What came between the look and the transaction left its errand in the one that was just taken. */
const hasMore = async (core: Core, { id }: RunRow, after: string): Promise<boolean> =>
  (await eventsOf(core, id, after)).items.some(({ type }) => /^(node|run|worker|stage)\./.test(type))

async function write(core: Core, run: RunRow): Promise<EventPage | { readonly problem: string }> {
  const page = await eventsOf(core, run.id, run.files_after ?? undefined)
  const coordinator = (await findSession(core.store.read, run.session_id))!
  try {
    const root = await openRunFolder(await projectOfSession(core, coordinator), run)
    if (run.files_after === null) await rewriteInside(root, '_goal.md', goalFile(run))
    await writeLines(core, run, root, page.items)
    await writePages(core, run, root, page.items)
  } catch (error) {
    const problem = problemOf(error)
    if (problem === undefined) throw error
    return { problem }
  }
  return page
}

async function eventsOf(core: Core, runId: string, after: string | undefined): Promise<EventPage> {
  const choice = { runId, limit: PAGE }
  try {
    return await readEvents(core, { ...choice, ...(after !== undefined && { after }) })
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'events.expired') throw error
    const earliest = (error.details as { readonly earliest?: string } | undefined)?.earliest
    return readEvents(core, { ...choice, ...(earliest !== undefined && { after: earliest }) })
  }
}

/** The logs of nodes, the mail of the run and the conversations of its workers. */
async function writeLines(core: Core, run: RunRow, root: string, events: readonly Event[]): Promise<void> {
  const workers = new Map((await workersOf(core.store.read, run.id)).map((worker) => [worker.session_id, worker.name]))
  const logs = new Map<string, LogLine[]>()
  const add = (path: string, line: LogLine | undefined): void => {
    if (line !== undefined) logs.set(path, [...(logs.get(path) ?? []), line])
  }
  for (const event of events) {
    const { at, type, nodeId, sessionId, data } = event
    const seq = event.seq.split('~')[0]!
    if (nodeId !== undefined) add(`${nodeFolder(nodeId)}/log.jsonl`, { seq, at, type, data })
    const who = sessionId === undefined ? undefined : (workers.get(sessionId) ?? 'coordinator')
    if (type === 'mail.accepted') add('_messages.jsonl', await mailLine(core, seq, event, who!))
    if (type === 'message.appended' && who !== undefined && who !== 'coordinator')
      add(`${workerFolder(who)}/conversation.jsonl`, await conversationLine(core, seq, event))
  }
  const goOn = isClean(core, run) ? appendLines : continueLines
  for (const [path, lines] of logs) await inOwnFolder(root, path, (at, name) => goOn(at, name, lines))
}

/** How each node stands that changed, and what each worker has done. */
async function writePages(core: Core, run: RunRow, root: string, events: readonly Event[]): Promise<void> {
  const about = (types: (type: string) => boolean) =>
    new Set(events.filter(({ type }) => type.startsWith('node.') && types(type)).map(({ nodeId }) => nodeId))
  const changed = about(() => true)
  const specified = about((type) => !/\.(assigned|started|waiting|published|finished)$/.test(type))
  const nodes = changed.size === 0 ? [] : await nodesOf(core.store.read, run.id)
  for (const node of nodes.filter(({ id }) => changed.has(id))) {
    const folder = nodeFolder(node.id)
    await rewriteInside(root, `${folder}/_status.md`, statusFile(node))
    if (!specified.has(node.id)) continue
    await rewriteInside(root, `${folder}/_spec.md`, `${node.spec}\n`)
    await rewriteInside(root, `${folder}/_refs.json`, `${node.refs}\n`)
  }
  const done = nodes.filter(({ finished_at }) => finished_at !== null)
  for (const name of new Set(done.filter(({ id }) => changed.has(id)).map(({ worker }) => worker)))
    if (name !== null)
      await inOwnFolder(root, `${workerFolder(name)}/history.json`, (at, file) =>
        rewriteInside(at, file, historyFile(of(done, name))),
      )
}

const of = (nodes: readonly NodeRow[], name: string): NodeRow[] => nodes.filter(({ worker }) => worker === name)

/** A worker can put links into its own folder: what is written there for it must not leave it. */
async function inOwnFolder(
  root: string,
  path: string,
  write: (root: string, name: string) => Promise<unknown>,
): Promise<void> {
  const [top, name, ...rest] = path.split('/')
  const at = top === 'workers' && name !== undefined ? await makeFolderInside(root, workerFolder(name)) : root
  await write(at, at === root ? path : rest.join('/'))
}
