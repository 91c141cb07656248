export {
  answerAsks,
  answerIn,
  answerOf,
  failAllAsks,
  failAsks,
  giveAnswer,
  refusal,
  refuseCycle,
  said,
} from './answers.ts'
export { parkForApproval } from './approval.ts'
export { needsPerson, sessionsBehind } from './behind.ts'
export { answeringChanges, askAboutChanges, askAboutLeftChanges, parkForChanges } from './changes.ts'
export { explain } from './explain.ts'
export { personOf } from './kinds.ts'
export { park, parkedRow } from './park.ts'
export { answering, detach, endWaits, interruptWaits, resolveTimer, resultOf, tellCall } from './resolve.ts'
export { taskThing } from './tasks.ts'
export { asksPerson, endedByMail, questionIn, stopsClock } from './together.ts'
export {
  described,
  line,
  listed,
  moment,
  type Named,
  nameOf,
  nameOfId,
  person,
  type Sight,
  type Waiting,
  wakes,
} from './words.ts'
