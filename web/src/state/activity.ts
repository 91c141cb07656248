import type { Message } from '../../../src/contract/messages.ts'
import { type Remark, remarkOf } from '../../../src/contract/remarks.ts'
import type { Node } from '../../../src/contract/runs.ts'
import type { Log } from './log.ts'
import { resultsIn, type ShownCall } from './rows.ts'
import { callsOf, senderOf, textOf } from './words.ts'

/** One step of a worker, with its time. */
export type Act = { readonly at: string; readonly key: string } & (
  | { readonly kind: 'took' | 'ended'; readonly node: Node }
  | { readonly kind: 'call'; readonly call: ShownCall; readonly costUsd: number | undefined }
  | { readonly kind: 'mail'; readonly message: Message }
  | { readonly kind: 'said'; readonly text: string; readonly costUsd: number | undefined }
  | { readonly kind: 'remark'; readonly remark: Remark }
)

/** What a worker did, oldest first: its nodes, its calls, what it was told and what it said. */
export function actsOf({ messages, calls, remarks }: Log, nodes: readonly Node[]): readonly Act[] {
  const results = resultsIn(messages)
  const ofNodes = nodes.flatMap((node): Act[] => [
    ...(node.startedAt ? [{ at: node.startedAt, key: `took ${node.id}`, kind: 'took' as const, node }] : []),
    ...(node.finishedAt ? [{ at: node.finishedAt, key: `ended ${node.id}`, kind: 'ended' as const, node }] : []),
  ])
  const ofRemarks = remarks.flatMap((event): Act[] => {
    const remark = remarkOf(event)
    return remark ? [{ at: event.at, key: `remark ${event.seq}`, kind: 'remark', remark }] : []
  })
  const ofMessages = messages.flatMap((message): Act[] => {
    const { id, role, parts, createdAt: at, costUsd } = message
    if (role === 'tool' || message.deletedAt) return []
    if (role !== 'assistant')
      return senderOf(message) === 'system' ? [] : [{ at, key: id, kind: 'mail' as const, message }]
    const text = textOf(parts).trim()
    const own = callsOf(parts).map(({ callId, name, input }, place): Act => {
      const now = calls[callId]
      return {
        at: now?.startedAt ?? at,
        key: callId,
        kind: 'call',
        call: { id: callId, name, input, now, result: results.get(callId) },
        costUsd: text === '' && place === 0 ? costUsd : undefined,
      }
    })
    return text === '' ? own : [{ at, key: id, kind: 'said', text, costUsd }, ...own]
  })
  const all = [...ofNodes, ...ofRemarks, ...ofMessages].filter((act) => !isToldByNode(act))
  return all.toSorted((a, b) => a.at.localeCompare(b.at))
}

/** The end of the node says what the call that handed it over says. */
const isToldByNode = (act: Act): boolean =>
  act.kind === 'call' && act.call.name === 'publish' && act.call.result !== undefined && !act.call.result.error
