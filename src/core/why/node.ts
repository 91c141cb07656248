import { AppError } from '../../contract/errors.ts'
import type { NodeId } from '../../contract/ids.ts'
import type { WhyThing, WhyUnblock } from '../../contract/why.ts'
import { findNode, neededBy, nodesOf, titleOf } from '../../store/nodes.ts'
import { findRun } from '../../store/runs.ts'
import type { NodeRow, RunRow } from '../../store/tables.ts'
import { findTask } from '../../store/tasks.ts'
import { findWorker } from '../../store/workers.ts'
import { line, nameOfId, person, wakes } from '../waits/index.ts'
import { count, type Look, type Reason } from './reason.ts'
import { taskReason } from './task.ts'

type Rest = Omit<Reason, 'ref' | 'state' | 'who'>

/** What a node waits for: others, a worker, a place; or what its worker does. */
export async function nodeReason(look: Look, id: NodeId): Promise<Reason> {
  const node = await findNode(look.db, id)
  const run = node && (await findRun(look.db, node.run_id))
  if (node === undefined || run === undefined) {
    throw new AppError('node.not_found', `There is no node "${id.slice(0, 80)}".`, {
      hint: 'A node is named by its whole id, "node_…".',
    })
  }
  const base = { ref: id, state: node.status, who: `The node ${line(look, titleOf(node))}` }
  const task = node.task_id === null || isOver(node) ? undefined : await findTask(look.db, node.task_id)
  if (task === undefined)
    return { ...base, ...(isOver(node) ? ended(look, run, node) : await unbegun(look, run, node)) }
  const inner = await taskReason(look, task.id)
  return { ...inner, ...base, says: `is with ${node.worker}; the task ${inner.says}` }
}

const isOver = ({ status }: NodeRow): boolean => ['finished', 'failed', 'canceled'].includes(status)

function ended(look: Look, { id: runId }: RunRow, node: NodeRow): Rest {
  const words = node.status === 'finished' ? node.summary : node.reason
  return {
    since: node.finished_at ?? node.updated_at,
    says: `is ${node.status}${words === null ? '' : `: ${line(look, words, 300)}`}`,
    waitsOn: [],
    wakes: wakes('nothing', 'nothing: it has ended'),
    unblock: node.status === 'finished' ? [] : [again(runId, node)],
  }
}

const again = (runId: string, { id }: NodeRow): WhyUnblock =>
  person('have it done once more', `troupe runs retry ${runId} ${id}`)

async function unbegun(look: Look, run: RunRow, node: NodeRow): Promise<Rest> {
  const since = node.updated_at
  const needed = (await neededBy(look.db, node.id)).filter(({ status }) => status !== 'finished')
  if (node.status === 'blocked') {
    const lost = needed.filter(({ status }) => status !== 'pending' && status !== 'processing' && status !== 'waiting')
    return {
      since,
      says: `is blocked: ${count(lost.length, 'node')} that it depends on ${lost.length === 1 ? 'has' : 'have'} no result`,
      waitsOn: lost.map((one) => thing(look, one)),
      wakes: wakes('task', 'these, once they are tried again and finish'),
      unblock: lost.filter(isOver).map((one) => again(run.id, one)),
    }
  }
  const notes = node.reason === null ? [] : [line(look, node.reason, 300)]
  const off = person('call it off', `troupe runs cancel ${run.id} ${node.id}`)
  if (needed.length > 0) {
    const waitsOn = needed.map((one) => thing(look, one))
    const says = `waits for ${count(needed.length, 'node')} that it depends on`
    return { since, says, notes, waitsOn, wakes: wakes('task', 'their ends'), unblock: [off] }
  }
  return { since, notes, ...(await forWorker(look, run, node)), unblock: [off] }
}

const thing = (look: Look, node: NodeRow): WhyThing => ({
  kind: 'node',
  ref: node.id,
  label: `${line(look, titleOf(node))}, ${node.status}`,
})

/** Nothing is missing but somebody who does it. */
async function forWorker(look: Look, run: RunRow, node: NodeRow): Promise<Omit<Rest, 'since' | 'unblock'>> {
  const worker = node.worker === null ? undefined : await findWorker(look.db, run.id, node.worker)
  if (node.assigned_at !== null && worker) {
    const session = worker.session_id
    const ref = session === null ? worker.name : (await nameOfId(look, session)).ref
    return {
      says: `is given to ${worker.name}, who begins when it has ended its turn`,
      waitsOn: [{ kind: 'worker', ref, label: worker.name }],
      wakes: wakes('safe-point', `the end of the turn of ${worker.name}`),
      ...(session !== null && { follows: [session] }),
    }
  }
  const given = (await nodesOf(look.db, run.id)).filter(isGiven)
  const own = given.find((one) => one.worker !== null && one.worker === worker?.name)
  if (own !== undefined) {
    const label = `${own.worker} works on ${line(look, titleOf(own))}`
    const waitsOn: WhyThing[] = [{ kind: 'node', ref: own.id, label }]
    return { says: `waits for ${own.worker}`, waitsOn, wakes: wakes('task', 'the end of that node') }
  }
  const limit = look.limits.maxConcurrentWorkers
  const busy = given.filter(({ status }) => status !== 'waiting').length
  if (busy < limit) return { says: 'is about to begin', waitsOn: [], wakes: wakes('runner', 'its worker, at once') }
  const label = `${busy} of ${limit} nodes are worked on at once`
  return {
    says: `waits for a place: ${label}`,
    waitsOn: [{ kind: 'slot', ref: 'limits.maxConcurrentWorkers', label }],
    wakes: wakes('task', 'another node that ends or waits'),
  }
}

export const isGiven = ({ status, assigned_at }: NodeRow): boolean =>
  status === 'processing' || status === 'waiting' || (status === 'pending' && assigned_at !== null)
