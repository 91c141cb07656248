import type { Message } from '../../../src/contract/messages.ts'
import { type Change, changeOf } from './change.ts'

/** A file that calls changed, with each change in order. */
export interface ChangedFile {
  readonly path: string
  readonly added: number
  readonly removed: number
  readonly changes: readonly Change[]
}

/** The files that the calls of these messages changed, the last one first; what waits or failed changed nothing. */
export function changedIn(messages: readonly Message[]): readonly ChangedFile[] {
  const done = new Set(
    messages.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === 'tool-result' && !part.error ? [part.callId] : [])),
    ),
  )
  const files = new Map<string, ChangedFile>()
  for (const { parts } of messages)
    for (const part of parts) {
      const change = part.type === 'tool-call' && done.has(part.callId) && changeOf(part.name, part.input)
      if (!change) continue
      const before = files.get(change.path)
      files.delete(change.path)
      files.set(change.path, {
        path: change.path,
        added: (before?.added ?? 0) + change.added,
        removed: (before?.removed ?? 0) + change.removed,
        changes: [...(before?.changes ?? []), change],
      })
    }
  return [...files.values()].toReversed()
}
