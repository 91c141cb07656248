import type { Agent } from '../../contract/agents.ts'
import type { HookVerdict } from '../../contract/hooks.ts'
import type { Mode } from '../../contract/sessions.ts'
import { iso } from '../../lib/clock.ts'
import type { Core, Project } from '../base/index.ts'
import type { Hook } from '../config/index.ts'
import type { Judge } from '../permissions/index.ts'

/** For whom hooks run, and where. */
export interface Moment {
  readonly core: Core
  readonly project: Project
  readonly agent: Pick<Agent, 'name' | 'folder'>
  readonly mode: Mode
  readonly taskId?: string | undefined
  /** What shuts in the commands of the session shuts in its hooks. Its session is '' where a person only tries them. */
  readonly judge: Judge
}

/** What a hook is told beside what it is about. The shape is documented; whoever changes it raises the version. */
const VERSION = 1

/** What one run of a hook came to. */
export interface HookRun {
  readonly hook: Hook
  readonly verdict: HookVerdict
  /** Why it denied or failed, or what it has to say to the model. */
  readonly said?: string
  readonly input?: unknown
  readonly durationMs: number
}

/** What the hook reads. The key is the same when a hook runs again for the same thing, after a crash. */
export const toldTo = (at: Moment, hook: Hook, ref: string, about: Readonly<Record<string, unknown>>): string =>
  `${JSON.stringify({
    version: VERSION,
    event: hook.event,
    key: `${hook.event}:${ref}:${hook.key}`,
    hook: hook.name,
    at: iso(at.core.clock.now()),
    project: at.project.path,
    workspace: at.judge.workspace,
    session: { id: at.judge.sessionId, agent: at.agent.name, mode: at.mode },
    ...(at.taskId === undefined ? {} : { taskId: at.taskId }),
    ...about,
  })}\n`
