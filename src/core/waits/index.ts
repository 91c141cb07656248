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
} from './asks.ts'
export { askFor, park } from './park.ts'
export {
  endWaits,
  interruptWaits,
  isApproved,
  lookAgain,
  resolveApproval,
  resolveQuestion,
  resolveTimer,
  resultOf,
} from './resolve.ts'
export { detach, hasEnded, needsPerson, outcomeOf, sessionsBehind, type TaskOutcome } from './tasks.ts'
