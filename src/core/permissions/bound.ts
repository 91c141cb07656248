import { realPath, sha256, statOf } from '../../lib/files/files.ts'
import type { Acts } from './acts.ts'

interface Call {
  readonly sessionId: string
  readonly workspace: string
  readonly name: string
  readonly input: unknown
  readonly version: string | undefined
}

/** Why an approval of exactly this call no longer covers it, for each thing that it is bound to. */
const since = {
  call: 'the program was replaced by another version',
  folder: 'another folder has taken the place of the one it works in',
  does: 'it has come to mean something else: other files match, or a path leads elsewhere',
  reach: 'a path in it leads elsewhere outside the workspace',
  tool: 'the tool has changed what it says of itself or takes',
}

/** An approval holds for exactly this tool, arguments and session, and for the folder and files as they really are. */
export function boundTo({ sessionId, workspace, name, input, version }: Call, { reach, acts }: Acts): string {
  const stats = statOf(workspace)
  const parts: Record<keyof typeof since, readonly unknown[]> = {
    call: [name, input, sessionId],
    folder: [realPath(workspace), stats?.dev, stats?.ino],
    does: acts.map(({ what }) => what),
    reach,
    tool: [version],
  }
  return Object.entries(parts)
    .filter(([part]) => part !== 'tool' || version !== undefined)
    .map(([part, value]) => `${part}:${sha256(JSON.stringify(value))}`)
    .join(' ')
}

/** What is no longer as it was when the person approved the call, in words. */
export function changedSince(approved: string | null, now: string): string {
  if (approved === null) return 'it needed no approval when it was made'
  const before = approved.split(' ')
  const changed = Object.entries(since).find(([part]) =>
    now.split(' ').some((one) => one.startsWith(`${part}:`) && !before.includes(one)),
  )
  return `you approved it before, but since then ${changed?.[1] ?? 'it changed'}`
}
