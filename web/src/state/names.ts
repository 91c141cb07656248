import type { From } from '../../../src/contract/messages.ts'
import { useSessions } from './sessions.ts'

/** Who wrote something, by the name under which the person knows them: a worker by its own, others by their agent. */
export function useName(from: From | undefined): string {
  const worker = useSessions().value?.find(({ id }) => id === from?.sessionId)?.worker
  if (from === undefined || from.kind === 'human') return 'you'
  return worker ?? from.agent ?? (from.kind === 'system' ? 'Troupe' : from.kind)
}

/** A path in the folder of a node, without the part that is the same for all of its files. */
export const shortPath = (text: string): string => text.replace(/\bnodes\/node_[0-9a-f]+\/(scratch|published)\//g, '')
