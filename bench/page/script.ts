import { nodesIn, workNode } from '../../test/kit/runs.ts'
import { askPerson } from '../../test/kit/script.ts'
import type { Reply, SeenRequest } from '../../test/kit/vendor/reply.ts'
import { NODES, WIDE } from './job.ts'

/** A coordinator that lays out the whole board behind a first node, whose worker waits for a person. */
export default function script(request: SeenRequest): Reply {
  const first = request.messages.find(({ role }) => role === 'user')?.text ?? ''
  if (!first.includes('Lay out')) return { calls: [askPerson] }
  const made = nodesIn(request)
  if (made.length >= NODES) return { text: 'It is laid out.' }
  if (made.length === 0) return { calls: [workNode('The gate')] }
  const many = Math.min(WIDE, NODES - made.length)
  const before = made.slice(-WIDE)
  return {
    calls: Array.from({ length: many }, (_, at) =>
      workNode(`Piece ${made.length + at}`, { dependsOn: [before[at % before.length]!] }),
    ),
  }
}
