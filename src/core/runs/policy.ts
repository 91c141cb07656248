import type { CheckpointPolicy, NodeStatus } from '../../contract/runs.ts'

/** A node of a stage, as far as its policy is concerned. */
export interface Member {
  readonly status: NodeStatus
  /** It recorded how far it is, which counts as much as its end. */
  readonly checkpointed: boolean
}

const over: ReadonlySet<NodeStatus> = new Set(['finished', 'failed', 'canceled', 'blocked'])

/** How many have come to an end or to a checkpoint. */
export const countEnded = (members: readonly Member[]): number =>
  members.filter(({ status, checkpointed }) => over.has(status) || checkpointed).length

/** Whether those of a stage have come as far as its policy asks; also where they cannot come any further. */
export function isMet(policy: CheckpointPolicy, members: readonly Member[]): boolean {
  const ended = countEnded(members)
  if (ended === members.length) return true
  const good = members.filter(({ status, checkpointed }) => status === 'finished' || checkpointed).length
  const lost = ended - good
  if (policy === 'any') return good > 0
  return policy === 'majority' && (good * 2 > members.length || (members.length - lost) * 2 <= members.length)
}
