export { sessionIn } from './acts.ts'
export { allowAlways } from './always.ts'
export { askedOf } from './asked.ts'
export { changedSince } from './bound.ts'
export { checkPermission } from './check.ts'
export { hiddenFrom, isKeptFrom } from './denied.ts'
export {
  bound,
  defineTool,
  type Judge,
  judge,
  ruleOnDenied,
  ruleOnTool,
  runTool,
  type SandboxState,
  type Verdict,
} from './judge.ts'
export { Maker, makersFor, makersOf, reaches, withoutTool } from './makers.ts'
export { rulesOf } from './rules.ts'
export { hiddenInRun, inRun, isRunPath, runScope } from './run-scope.ts'
export {
  boxOf,
  resourceLimits,
  sandboxFor,
  sandboxState,
  socketOf,
  unheldReason,
  unshutReason,
  watchedIn,
} from './sandbox.ts'
export { isDenied, isIn, toolsInScope } from './scope.ts'
export { rulesFor, shownTools } from './shown.ts'
export { addPermission, listPermissions, permissionSources, removePermission } from './sources.ts'
