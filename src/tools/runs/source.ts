import type { Core, ToolSource, ToolsFound, ToolUser } from '../../core/base/index.ts'
import { ledRun, roleIn } from '../../core/runs/index.ts'
import { assignWorkerTool } from './assign-worker.ts'
import { cancelNodeTool } from './cancel-node.ts'
import { checkBoard } from './check-board.ts'
import { checkpointTool } from './checkpoint.ts'
import { createWorkNode } from './create-work-node.ts'
import { finish } from './finish.ts'
import { publishTool } from './publish.ts'
import { readRefTool } from './read-ref.ts'
import { reconveneTool } from './reconvene.ts'
import { retireWorkerTool } from './retire-worker.ts'
import { spawnWorkerTool } from './spawn-worker.ts'
import { startRunTool } from './start-run.ts'
import { startStageTool } from './start-stage.ts'
import { suggestNextTool } from './suggest-next.ts'
import { writePlan } from './write-plan.ts'

/** The tools of a run are there only for its members, while it is open. Who coordinated it may begin the next. */
export const createRunTools = (): ToolSource => ({
  async toolsFor(core: Core, { sessionId }: ToolUser) {
    const role = sessionId === undefined ? undefined : await roleIn(core, sessionId)
    if (role !== undefined) return role === 'worker' ? ofWorker : ofCoordinator
    return sessionId !== undefined && (await ledRun(core, sessionId)) ? between : none
  },
})

const onBoard = [assignWorkerTool, cancelNodeTool, retireWorkerTool]
const none: ToolsFound = { tools: [], problems: [] }
/** Of whoever led a run that is over. */
const between: ToolsFound = { tools: [startRunTool], problems: [] }
const ofWorker: ToolsFound = {
  tools: [createWorkNode, checkpointTool, publishTool, readRefTool, suggestNextTool],
  problems: [],
}
const ofCoordinator: ToolsFound = {
  tools: [createWorkNode, spawnWorkerTool, checkBoard, startStageTool, reconveneTool, finish, writePlan, ...onBoard],
  problems: [],
}
