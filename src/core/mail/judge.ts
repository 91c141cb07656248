import type { Unattended } from '../../contract/sessions.ts'
import type { EffectiveSettings } from '../../contract/settings.ts'
import { grantedTools } from '../../store/grants.ts'
import { findNode, isOpenNode } from '../../store/nodes.ts'
import { findSession } from '../../store/sessions.ts'
import type { Db, SessionRow } from '../../store/tables.ts'
import { findWorker } from '../../store/workers.ts'
import type { Core, Project, RunPlace } from '../base/index.ts'
import { presenceNow } from '../inbox/index.ts'
import {
  type Judge,
  makersOf,
  permissionSources,
  rulesOf,
  runScope,
  type SandboxState,
  sandboxState,
  sessionIn,
} from '../permissions/index.ts'
import type { describeSession } from '../sessions/index.ts'
import { addressedSession } from './addresses.ts'
import { policyFor } from './unattended.ts'

/** The rules by which the calls of a session are judged. */
export async function judgeFor(
  core: Core,
  session: SessionRow,
  project: Project,
  { agent, definition, settings, tools, makers }: Awaited<ReturnType<typeof describeSession>>,
  chainId: string | null = null,
): Promise<Judge> {
  const sources = permissionSources(core, project)
  const own = { from: `agent ${agent.name}, ${agent.folder}`, rules: definition.permissions ?? {} }
  const all = [...sources, own, ...makers.map(({ from, permissions = {} }) => ({ from, rules: permissions }))]
  const run = await runOf(core, session, project)
  let state: SandboxState | undefined
  return {
    tools,
    sources,
    own,
    makers,
    sessionId: session.id,
    agent: agent.name,
    sandbox: () => (state ??= sandboxState(core, settings)),
    userHome: core.env.HOME,
    env: core.env,
    granted: await grantedTools(core.store.read, session.id),
    unattended: policyOf(session, settings, chainId, (await presenceNow(core)).status === 'away'),
    // Given only when a rule names a session, because the look-up would slow every message.
    ...(rulesOf(all).some(({ pattern }) => pattern !== undefined && sessionIn(pattern) !== undefined)
      ? { sessionAt: (to: string, which?: string) => addressedSession(core, session, project, to, which) }
      : {}),
    workspace: session.workspace,
    projectPath: project.path,
    home: core.home,
    ...(run && { run }),
  }
}

/** What a member of a run may touch of its files, and so whoever works for it. */
async function runOf(core: Core, session: SessionRow, project: Project): Promise<RunPlace | undefined> {
  const db = core.store.read
  const member = session.run_id === null ? await memberAbove(db, session) : session
  if (member?.run_id == null) return undefined
  const { run_id: runId, worker, node_id } = member
  const node = worker === null || node_id === null ? undefined : await findNode(db, node_id)
  return runScope(project.path, { runId, worker, node: node && isOpenNode(node) ? node.id : undefined })
}

/** The nearest of those who made a session that was a member of a run, as it is now. */
async function memberAbove(db: Db, session: SessionRow): Promise<Member | undefined> {
  const run = makersOf(session).findLast((maker) => maker.run !== undefined)?.run
  if (run === undefined) return undefined
  const id = run.worker === undefined ? undefined : (await findWorker(db, run.id, run.worker))?.session_id
  const at = id == null ? undefined : await findSession(db, id)
  return { run_id: run.id, worker: run.worker ?? null, node_id: at?.node_id ?? null }
}

type Member = Pick<SessionRow, 'run_id' | 'worker' | 'node_id'>

export const policyOf = (
  session: SessionRow,
  { permissions }: EffectiveSettings,
  chainId: string | null,
  away: boolean,
): Unattended => session.unattended ?? policyFor(chainId, permissions.unattended, away)
