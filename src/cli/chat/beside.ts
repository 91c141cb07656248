import { outcomesIn } from '../../client/outcomes.ts'
import type { Message } from '../../contract/messages.ts'
import type { Helpers } from './at-work.ts'
import { helperLines } from './at-work-lines.ts'

/** Helpers that were started and that no call waits for. */
interface Beside {
  /** A message may tell of new ones. */
  note(message: Message): void
  /** Those of `shown` are shown elsewhere. */
  lines(width: number, shown: readonly string[]): string[]
}

export function createBeside(helpers: Helpers): Beside {
  const handles = new Set<string>()
  return {
    note(message) {
      for (const handle of startedIn(message)) handles.add(handle)
      helpers.watch([...handles])
    },
    lines(width, shown) {
      for (const handle of handles) {
        const status = helpers.find(handle)?.session.status
        if (status === undefined || status === 'running' || status === 'waiting') continue
        handles.delete(handle)
        helpers.release([handle])
      }
      const others = [...handles].filter((handle) => !shown.some((id) => id.startsWith(handle)))
      return helperLines(others, helpers, width)
    },
  }
}

/** The sessions that a message says were started without waiting for them. */
const startedIn = ({ parts }: Message): string[] =>
  parts.flatMap((part) => {
    if (part.type !== 'tool-result' || part.name !== 'agent_spawn' || outcomesIn(part.output).length > 0) return []
    const { session } = part.output as { session?: unknown }
    return typeof session === 'string' ? [session] : []
  })
