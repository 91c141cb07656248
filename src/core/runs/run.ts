import type { AgentFile } from '../../contract/agents.ts'
import { AppError } from '../../contract/errors.ts'
import type { CreateRun, Run } from '../../contract/runs.ts'
import type { EffectiveSettings } from '../../contract/settings.ts'
import { newId } from '../../lib/ids.ts'
import { putProject } from '../../store/projects.ts'
import { findRunByClient, insertRun, openRunOf, toRun } from '../../store/runs.ts'
import { handleOf, lockSession } from '../../store/sessions.ts'
import type { RunRow, SessionRow } from '../../store/tables.ts'
import { type Core, changing, leaveRunErrand, type Project, type Tx, transact } from '../base/index.ts'
import { agentFor, effectiveSettings, findAgent, folderInside, ownFolder } from '../config/index.ts'
import { newChainId, post } from '../mail/index.ts'
import { addSession, findByRef, newSession, placeFor } from '../sessions/index.ts'
import { watchTime } from './time.ts'
import { titleFor } from './title.ts'
import { limitedTo } from './workers.ts'

/** A coordinator is given the goal, in a new conversation or in one that is there; what becomes of it is up to it. */
export async function createRun(core: Core, project: Project, body: CreateRun): Promise<Run> {
  const there = body.session === undefined ? undefined : await findByRef(core.store.read, project.id, body.session)
  const agent = await findAgent(core, project, body.agent ?? there?.agent ?? COORDINATES)
  if (there !== undefined) checkCoordinator(there, agent.name, body)
  const fresh = there === undefined ? await plan(core, project, agentFor(agent, 'chat'), body) : undefined
  const { settings } = await effectiveSettings(core, project)
  const said = given(settings, body)
  const made = await transact(core, 'run.create', async (tx) => {
    // Before the project, as wherever both are locked.
    const locked = there && (await lockSession(tx.db, there.id))
    // This locks the project's row: of two requests with the same clientId, the second sees the first.
    await putProject(tx.db, project, tx.now)
    const earlier = body.clientId && (await findRunByClient(tx.db, project.id, body.clientId))
    if (earlier) return earlier
    const title = titleFor(tx, body.goal)
    if (locked) await mustBeFree(tx, locked)
    const session = locked ?? newSession(project, { ...said, agent: agent.name, title }, tx.now, fresh!)
    const run = runFor(tx, boundedBy(settings, body), {
      project_id: project.id,
      session_id: session.id,
      agent: agent.name,
      title,
    })
    if (said.unattended !== undefined || said.questions !== undefined)
      run.said_before = JSON.stringify({
        unattended: locked?.unattended ?? null,
        questions: locked?.questions ?? null,
      } satisfies SaidBefore)
    if (!locked) {
      session.run_id = run.id
      if (body.tools !== undefined) session.makers = JSON.stringify(limitedTo(body.tools))
      await addSession(tx, session)
    }
    await insertRun(tx.db, run)
    await leaveRunErrand(tx, 'files', run.id)
    tx.record('run.created', { project: project.id, sessionId: session.id }, { runId: run.id, title, agent: run.agent })
    await changing(tx, session, async (_, row) => {
      Object.assign(row, { run_id: run.id, ...said })
      const chain = { id: newChainId(undefined), hops: 0 }
      await post(core, tx, row, { to: row.id, from: { kind: 'human' }, content: body.goal, clientId: run.id, chain })
    })
    await watchTime(tx, run)
    tx.after(() => core.wake(session.id))
    return run
  })
  return toRun(core.store.read, made)
}

/** What a conversation goes back to when its run is over. */
export type SaidBefore = Pick<SessionRow, 'unattended' | 'questions'>

/** Who coordinates a run for which nobody else was chosen. */
const COORDINATES = 'coordinator'
const CYCLE_SECONDS = 3600

/** What a person says about the coordinator's session. */
function given(settings: EffectiveSettings, { model, unattended, questions }: CreateRun) {
  const alone = unattended === 'settings' ? settings.permissions.unattended : unattended
  // Nobody attends to it: the setting for that counts, unless something was said for this run.
  const isLeft = unattended !== undefined && unattended !== 'wait' && settings.questions.unattended !== 'wait'
  const unanswered = questions ?? (isLeft ? settings.questions.unattended : undefined)
  return {
    ...(model !== undefined && { model }),
    ...(alone !== undefined && { unattended: alone }),
    ...(unanswered !== undefined && { questions: unanswered }),
  }
}

/** What was not said for the run is as the settings have it. */
const boundedBy = ({ limits }: EffectiveSettings, body: CreateRun): RunOrder => ({
  ...body,
  limits: { ...limits.run, ...body.limits },
  timePerCycle: body.mode === 'infinite' && body.limits?.maxDurationSeconds === undefined,
})

async function plan(core: Core, project: Project, definition: AgentFile, { workspace }: CreateRun) {
  const { settings } = await effectiveSettings(core, project)
  return {
    workspace: workspace === undefined ? ownFolder(core, project, definition) : folderInside(core, project, workspace),
    wakeBudget: settings.loop.autoWakeBudget,
    ...placeFor(core, definition),
  }
}

function checkCoordinator({ mode, agent, worker }: SessionRow, wanted: string, { workspace, tools }: CreateRun): void {
  if (mode !== 'chat' || worker !== null) {
    throw new AppError('run.state', 'session: only a conversation can coordinate a run.', {
      hint: 'Leave "session" out, or name a session of mode chat.',
    })
  }
  if (agent !== wanted || workspace !== undefined || tools !== undefined) {
    throw new AppError('request.invalid', `session: it has its agent, ${agent}, its workspace and its tools already.`, {
      hint: 'Leave "agent", "workspace" and "tools" out, or leave "session" out.',
    })
  }
}

export async function mustBeFree(tx: Tx, session: SessionRow): Promise<void> {
  const open = await openRunOf(tx.db, session)
  if (open === undefined) return
  throw new AppError(
    'run.state',
    `The session ${await handleOf(tx.db, session.project_id, session.id)} coordinates ${open.id}, which is ${open.status}.`,
    {
      hint: 'Stop that run first, or write to its coordinator what is wanted now.',
    },
  )
}

interface RunOrder extends Pick<CreateRun, 'goal' | 'limits' | 'clientId' | 'mode' | 'cycleSeconds'> {
  /** Its time is that of each cycle. */
  readonly timePerCycle?: boolean
}

export const runFor = (
  tx: Tx,
  { goal, limits = {}, clientId, mode, cycleSeconds = CYCLE_SECONDS, timePerCycle = false }: RunOrder,
  more: Pick<RunRow, 'project_id' | 'session_id' | 'agent' | 'title'>,
): RunRow => ({
  ...more,
  id: newId('run'),
  goal,
  title_asks: 0,
  status: 'working',
  reason: null,
  summary: null,
  limits: JSON.stringify(limits),
  client_id: clientId ?? null,
  mode,
  time_per_cycle: timePerCycle ? 1 : 0,
  cycle_seconds: cycleSeconds,
  nudges: 0,
  nudge_at: null,
  cycle_at: null,
  reminded: 0,
  inbox_id: null,
  asked_limit: null,
  said_before: null,
  archived_at: null,
  files_after: null,
  created_at: tx.now,
  updated_at: tx.now,
  ended_at: null,
})
