import { AppError } from '../../contract/errors.ts'
import type { RunId } from '../../contract/ids.ts'
import { nodesOf, titleOf } from '../../store/nodes.ts'
import { findPresence } from '../../store/presence.ts'
import { findRun, isWaitingForCycle } from '../../store/runs.ts'
import { findSession } from '../../store/sessions.ts'
import type { NodeRow, RunRow } from '../../store/tables.ts'
import { workersOf } from '../../store/workers.ts'
import { line, nameOf, person, wakes } from '../waits/index.ts'
import { isGiven } from './node.ts'
import { count, type Look, type Reason } from './reason.ts'

const SHOWN = 10

/** What a run waits for: its open nodes, those who work on them, and its coordinator. */
export async function runReason(look: Look, id: RunId): Promise<Reason> {
  const run = await findRun(look.db, id)
  const coordinator = run && (await findSession(look.db, run.session_id))
  if (run === undefined || coordinator === undefined) {
    throw new AppError('run.not_found', `There is no run "${id.slice(0, 80)}".`, {
      hint: 'A run is named by its whole id, "run_…".',
    })
  }
  const base = { ref: id, state: run.status, who: `The run "${line(look, run.title)}"`, since: run.updated_at }
  const { ref } = await nameOf(look, coordinator)
  const write = person('write to its coordinator', `troupe send ${ref} "…"`)
  if (run.ended_at !== null) return { ...base, since: run.ended_at, ...over(look, run), unblock: [write] }
  const open = (await nodesOf(look.db, id)).filter(({ status }) => !['finished', 'failed', 'canceled'].includes(status))
  const sessions = new Map((await workersOf(look.db, id)).map((worker) => [worker.name, worker.session_id]))
  const sleeps = open.length === 0 && run.status === 'working' && isWaitingForCycle(run)
  const { paused_since } = await findPresence(look.db)
  const still = paused_since === null ? [] : [person('let everything go on', 'troupe resume --all')]
  const atWork = open.filter(isGiven).flatMap(({ worker }) => (worker && sessions.get(worker)) || [])
  return {
    ...base,
    says: [
      `is ${run.status}`,
      ...(paused_since === null ? [] : ['everything is paused']),
      ...(run.reason === null ? [] : [line(look, run.reason, 300)]),
      sleeps ? `it sleeps until its cycle ${run.nudges + 1}` : onBoard(open),
    ].join(': '),
    waitsOn: open.slice(0, SHOWN).map((node) => ({
      kind: 'node',
      ref: node.id,
      label: `${line(look, titleOf(node))}, ${node.status}${node.worker === null ? '' : ` (${node.worker})`}`,
    })),
    notes: open.length > SHOWN ? [`  … and ${count(open.length - SHOWN, 'node')} more`] : [],
    wakes: sleeps ? wakes('time', `cycle ${run.nudges + 1}`, run.nudge_at!) : wakesOf(open),
    follows: [coordinator.id, ...atWork],
    unblock: [...still, write, person('end it', `troupe runs stop ${id}`)],
  }
}

const wakesOf = (open: readonly NodeRow[]) =>
  open.length > 0 ? wakes('task', 'the ends of these nodes') : wakes('mail', 'what its coordinator does')

const over = (look: Look, { status, reason, summary }: RunRow) => ({
  says: `is ${status}${reason === null ? '' : `: ${line(look, reason, 300)}`}`,
  notes: summary === null ? [] : [`Outcome: ${line(look, summary, 500)}`],
  waitsOn: [],
  wakes: wakes('nothing', 'nothing: it is over'),
})

function onBoard(open: readonly NodeRow[]): string {
  if (open.length === 0) return 'nothing is open on its board'
  const by = Map.groupBy(open, ({ status }) => status)
  return `${count(open.length, 'node')} open (${[...by].map(([status, list]) => `${list.length} ${status}`).join(', ')})`
}
