export { callOf, keyOf } from './call-key.ts'
export type { Core, Engine, History, HistoryCache, Lease, Project } from './core.ts'
export { type Errand, type ErrandKind, errandId, LATER_MS, leaveErrand, leaveRunErrand } from './errands.ts'
export {
  checkTask,
  createBus,
  type EventChoice,
  type EventPage,
  isAbout,
  latestSeq,
  mayEndTurn,
  readEvents,
  until,
} from './events.ts'
export type { Mcp, McpOwner } from './mcp.ts'
export type { Candidate, Candidates, Closure, Models, Quote } from './models.ts'
export { badKeyProblems, inWords, keepValid, problemsOf } from './problems.ts'
export { nodeFolder, publishedOf, RUNS, runFolder, scratchOf, workerFolder } from './run-folder.ts'
export type { ModelError, Runtime, StepRequest, StepResult, ToolSchema } from './runtime.ts'
export { hmac, signatureOf } from './signing.ts'
export type { Asked, Chain, Park, RunPlace, Sandbox, Subject, Tool, ToolContext, ToolOutput, Touch } from './tool.ts'
export type { ToolSource, ToolsFound, ToolUser } from './tool-source.ts'
export {
  aboutSession,
  asRunner,
  boardLooks,
  changing,
  LeaseLost,
  onSession,
  type Read,
  type Tx,
  transact,
} from './transaction.ts'
export { version } from './version.ts'
export { defuse, defuseTags } from './voice.ts'
