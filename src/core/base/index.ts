export type {
  AccountInfo,
  Asked,
  Candidate,
  Candidates,
  Chain,
  Core,
  Engine,
  History,
  HistoryCache,
  Lease,
  ModelError,
  ModelInfo,
  Park,
  Project,
  Runtime,
  Sandbox,
  StepRequest,
  StepResult,
  Subject,
  Tool,
  ToolContext,
  ToolOutput,
  ToolSchema,
  Touch,
} from './core.ts'
export { type ErrandKind, errandId, LATER_MS, leaveErrand } from './errands.ts'
export {
  checkTask,
  createBus,
  type EventChoice,
  type EventPage,
  isAbout,
  latestSeq,
  readEvents,
  until,
} from './events.ts'
export { keyOf } from './keys.ts'
export { inWords, keepValid, problemsOf } from './problems.ts'
export { aboutSession, asRunner, changing, LeaseLost, onSession, type Tx, transact } from './transaction.ts'
export { version } from './version.ts'
