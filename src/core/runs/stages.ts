import { AppError } from '../../contract/errors.ts'
import type { NodeId, SessionId } from '../../contract/ids.ts'
import type { StageContract } from '../../contract/runs.ts'
import { newId } from '../../lib/ids.ts'
import { findNode, nodesOf } from '../../store/nodes.ts'
import { findSession } from '../../store/sessions.ts'
import { findStage, insertStage, moveStage, nodesInStage, stagesOf } from '../../store/stages.ts'
import type { RunRow, SessionRow, StageRow, TimerRow } from '../../store/tables.ts'
import { deleteTimers, takeTimer } from '../../store/timers.ts'
import { type Core, leaveErrand, leaveRunErrand, onSession, type Tx, transact } from '../base/index.ts'
import { notify } from '../inbox/index.ts'
import { checkpointNode } from '../nodes/index.ts'
import { memberOf } from './make-node.ts'
import { countEnded, isMet, type Member } from './policy.ts'
import { completeStage } from './state.ts'

interface StageOrder {
  readonly name: string
  readonly nodes: readonly NodeId[]
  readonly contract: StageContract
}

/** The coordinator wants to hear of these nodes together. The same call again finds the first. */
export const startStage = (
  core: Core,
  by: { readonly sessionId: SessionId; readonly callId: string },
  { name, nodes, contract }: StageOrder,
): Promise<StageRow> =>
  transact(core, 'stage.start', async (tx) => {
    const { run } = await memberOf(tx, by.sessionId)
    const stages = await stagesOf(tx.db, run.id)
    const earlier = stages.find(({ call_id }) => call_id === by.callId)
    if (earlier) return earlier
    const open = stages.find(({ status }) => status !== 'completed')
    if (open) throw stillOpen(open)
    await checkNodes(tx, run, nodes)
    const stage: StageRow = {
      id: newId('stage'),
      run_id: run.id,
      name,
      status: 'running',
      policy: contract.checkpointPolicy,
      deadline_at: tx.now + contract.timeoutSeconds * 1000,
      max_iterations: contract.maxIterationsPerNode ?? null,
      assessment: null,
      call_id: by.callId,
      told: 0,
      created_at: tx.now,
      ended_at: null,
    }
    await insertStage(tx.db, stage, nodes)
    tx.record('stage.started', aboutStage(run), {
      stageId: stage.id,
      name: tx.mask(name),
      nodes: [...nodes],
      checkpointPolicy: stage.policy,
      ...(stage.max_iterations === null ? {} : { maxIterationsPerNode: stage.max_iterations }),
    })
    await leaveRunErrand(tx, 'stage', stage.id, stage.deadline_at)
    await leaveRunErrand(tx, 'board', run.id)
    return stage
  })

async function checkNodes(tx: Tx, run: RunRow, ids: readonly NodeId[]): Promise<void> {
  const nodes = new Map((await nodesOf(tx.db, run.id)).map((node) => [node.id, node]))
  for (const id of ids) {
    const node = nodes.get(id)
    if (node === undefined || node.parent_node_id !== null || node.stage_id !== null)
      throw new AppError('node.not_found', `nodes: "${id.slice(0, 80)}" is no node that could join a stage.`, {
        hint: 'Name nodes that you made yourself and that are in no other stage; check_board shows them.',
      })
  }
}

/** When the nodes of the running stage have come far enough, or its time is up, the coordinator is told, once. */
export async function lookAtStage(tx: Tx, run: RunRow): Promise<void> {
  const stage = (await stagesOf(tx.db, run.id)).find(({ status }) => status === 'running')
  if (stage === undefined) return
  const members = (await nodesInStage(tx.db, stage.id)).map(({ status, checkpointed_at }) => ({
    status,
    checkpointed: checkpointed_at !== null,
  }))
  const met = isMet(stage.policy, members)
  if (!met && tx.now < stage.deadline_at) return
  if (!(await moveStage(tx.db, stage, { status: 'reconvening' }))) return
  await deleteTimers(tx.db, [`stage:${stage.id}`])
  tx.record('stage.reconvened', aboutStage(run), { stageId: stage.id, why: met ? 'policy' : 'time' })
  await leaveErrand(tx, { kind: 'news', ref: stage.id, sessionId: run.session_id })
  if (!met) await tellBreach(tx, run, stage, members)
}

/** The nodes did not come as far as their stage agreed. */
async function tellBreach(tx: Tx, run: RunRow, stage: StageRow, members: readonly Member[]): Promise<void> {
  const coordinator = await findSession(tx.db, run.session_id)
  if (coordinator)
    await notify(tx, coordinator, {
      group: 'contract',
      title: `The stage "${stage.name}" of the run "${run.title}" did not keep its contract`,
      body: `Its time was up when ${countEnded(members)} of ${members.length} nodes had come to a checkpoint or an end (policy ${stage.policy}). The coordinator was told and decides; "troupe runs show ${run.id}" shows the board.`,
    })
}

/** The time of a stage is up: the board looks. */
export const lapseStage = (core: Core, timer: TimerRow): Promise<void> =>
  transact(core, 'stage.lapse', async (tx) => {
    if (!(await takeTimer(tx.db, timer))) return
    const stage = await findStage(tx.db, timer.ref)
    if (stage?.status === 'running') await leaveRunErrand(tx, 'board', stage.run_id)
  })

/** The coordinator says what it makes of the stage. */
export const reconvene = (core: Core, sessionId: SessionId, assessment: string): Promise<StageRow> =>
  transact(core, 'stage.reconvene', async (tx) => {
    const { run } = await memberOf(tx, sessionId)
    const stage = (await stagesOf(tx.db, run.id)).at(-1)
    if (stage?.status === 'completed' && stage.assessment === tx.mask(assessment)) return stage
    if (stage?.status !== 'reconvening') {
      throw new AppError('run.state', 'No stage has come to its end.', {
        hint: 'A message tells you when one has; to stop waiting, cancel its nodes.',
      })
    }
    await completeStage(tx, aboutStage(run), stage, assessment)
    return { ...stage, status: 'completed', assessment }
  })

/** A coordinator that was told of its stage and ends its turn without a word about it goes on. */
export async function stageEndsWith(tx: Tx, session: SessionRow): Promise<void> {
  if (session.run_id === null || session.worker !== null) return
  const stage = (await stagesOf(tx.db, session.run_id)).at(-1)
  if (stage?.status !== 'reconvening' || stage.told === 0) return
  await completeStage(tx, { project: session.project_id, runId: session.run_id }, stage, null)
}

/** A worker records how far its node is, and goes on. */
export const checkpoint = (core: Core, sessionId: SessionId, summary: string): Promise<void> =>
  onSession(core, sessionId, 'node.checkpoint', async (tx, session) => {
    const node = session.node_id === null ? undefined : await findNode(tx.db, session.node_id)
    if (node?.status !== 'processing') {
      throw new AppError('run.state', 'You work on no node now.', { hint: 'Write to the coordinator instead.' })
    }
    await checkpointNode(tx, node, summary)
  })

const aboutStage = ({ project_id, id }: RunRow) => ({ project: project_id, runId: id })

const stillOpen = ({ name, status }: StageRow): AppError =>
  new AppError('run.state', `The stage "${name}" is ${status}: there is one at a time.`, {
    hint:
      status === 'reconvening'
        ? 'Call reconvene first.'
        : 'What you make now joins it; a message tells you when it has come to its end.',
  })
