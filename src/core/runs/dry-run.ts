import { AppError } from '../../contract/errors.ts'
import type { RunId } from '../../contract/ids.ts'
import type { DryRun, NodeStatus, ProposedNode } from '../../contract/runs.ts'
import type { Db } from '../../store/tables.ts'
import { cycleIn, wavesOf } from './board.ts'
import { boardOf } from './views.ts'

interface OnBoard {
  readonly id: string
  readonly status: NodeStatus
  readonly dependsOn: readonly string[]
}

/** What would come of proposed nodes on a board. Pure: nothing is made. */
export function dryRun(board: readonly OnBoard[], proposed: readonly ProposedNode[]): DryRun {
  const names = new Set(proposed.map(({ name }) => name))
  const twice = proposed.find(({ name }, at) => proposed.findIndex((one) => one.name === name) !== at)
  if (twice !== undefined) {
    throw new AppError('node.state', `proposed: two nodes are called "${twice.name}".`, {
      hint: 'Give each a name of its own.',
    })
  }
  const known = new Map(board.map((node) => [node.id, node]))
  const missing = proposed.flatMap(({ name, dependsOn }) =>
    dependsOn.flatMap((on) => {
      const reason = names.has(on) ? undefined : whyMissing(known.get(on))
      return reason === undefined ? [] : [{ node: name, dependsOn: on, reason }]
    }),
  )
  // Nobody waits for what has finished, and what is blocked does not run.
  const open = board.filter(({ status }) => status === 'pending' || status === 'processing' || status === 'waiting')
  const all = [...open, ...proposed.map(({ name, dependsOn }) => ({ id: name, dependsOn }))]
  const cycle = cycleIn(all)
  return {
    possible: cycle === undefined && missing.length === 0,
    waves: wavesOf(all),
    ...(cycle && { cycle }),
    ...(missing.length > 0 && { missing: missing.slice(0, NAMED) }),
  }
}

/** The same for a run. */
export const dryRunOf = async (db: Db, id: RunId, proposed: readonly ProposedNode[]): Promise<DryRun> =>
  dryRun((await boardOf(db, id)).nodes, proposed)

const NAMED = 100

function whyMissing(node: OnBoard | undefined): string | undefined {
  if (node === undefined) return 'There is no such node.'
  const lost = node.status === 'failed' || node.status === 'canceled' || node.status === 'blocked'
  return lost ? `It is ${node.status}: what depends on it is blocked.` : undefined
}
