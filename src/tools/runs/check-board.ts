import { z } from 'zod'
import { type Board, type Node, ProposedNodes } from '../../contract/runs.ts'
import { defineTool } from '../../core/permissions/index.ts'
import { dryRun, ownBoard } from '../../core/runs/index.ts'
import { shorten } from '../../lib/shorten.ts'

/** So that a look at a large board costs a few thousand tokens. */
const SHOWN = 50

export const checkBoard = defineTool({
  name: 'check_board',
  description:
    'The nodes of the run with status, worker and dependencies, and the workers. With proposed: which of these could run side by side, and what forbids it; nothing is made.',
  input: z.strictObject({
    after: z.string().max(100).optional().describe('Nodes made after this one, finished ones too'),
    proposed: ProposedNodes.optional(),
  }),
  capabilities: ['tasks'],
  parallel: true,
  idempotent: true,
  async run({ after, proposed }, context) {
    const board = await ownBoard(context.core, context.sessionId)
    return { output: proposed === undefined ? glance(board, after) : dryRun(board.nodes, proposed) }
  },
})

function glance({ run, nodes: all, workers }: Board, after: string | undefined) {
  // What earlier cycles of an infinite run finished is only counted.
  const isOld = (node: Node): boolean => isDone(node) && node.createdAt < (run.cycleStartedAt ?? '')
  const nodes = after === undefined ? all.filter((node) => !isOld(node)) : all
  const from = after === undefined ? 0 : nodes.findIndex(({ id }) => id === after) + 1
  const chosen = new Set(after === undefined ? mostWanted(nodes) : nodes.slice(from, from + SHOWN))
  const shown = nodes.filter((node) => chosen.has(node))
  const here = workers.filter(({ status }) => status !== 'retired')
  return {
    counts: run.nodes,
    nodes: shown.map((node) => lineOf(node, shown.length > 20 ? 60 : 200)),
    ...(nodes.length < all.length && { finishedInEarlierCycles: all.length - nodes.length }),
    ...(shown.length < nodes.length - from && {
      notShown: nodes.length - from - shown.length,
      hint: 'Finished nodes come last. "after" with the id of a node shows those made after it.',
    }),
    workers: here.slice(0, SHOWN).map(({ name, agent, status, nodeId }) => ({ name, agent, status, nodeId })),
  }
}

/** What is open or went wrong, then the newest of what is finished. */
function mostWanted(nodes: readonly Node[]): Node[] {
  const [done, others] = [nodes.filter(isDone), nodes.filter((node) => !isDone(node))]
  return [...others, ...done.toReversed()].slice(0, SHOWN)
}

const isDone = ({ status }: Node): boolean => status === 'finished'

function lineOf({ id, title, status, worker, dependsOn, summary, reason }: Node, chars: number) {
  const said = summary ?? reason
  return {
    id,
    title,
    status,
    ...(worker === undefined ? {} : { worker }),
    ...(dependsOn.length === 0 ? {} : { dependsOn: dependsOn.slice(0, 10) }),
    ...(said === undefined ? {} : { said: shorten(said, chars) }),
  }
}
