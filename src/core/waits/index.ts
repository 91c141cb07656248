export {
  answerAsks,
  answerIn,
  answerOf,
  failAllAsks,
  failAsks,
  giveAnswer,
  refusal,
  said,
} from './answers.ts'
export { parkForApproval } from './approval.ts'
export { parkForAsk } from './ask.ts'
export { answeringChanges, askAboutChanges, askAboutLeftChanges, parkForChanges, tellUnseen } from './changes.ts'
export { askedOfClient, parkForClient } from './client.ts'
export { refuseCycle } from './cycles.ts'
export { explain, inOneSentence, waitingReason } from './explain.ts'
export { personOf } from './kinds.ts'
export { asksPerson, endedByMail, keepsMail, questionIn, stopsClock } from './open-calls.ts'
export { park, parkedRow } from './park.ts'
export { parkForQuestion, type QuestionPolicy } from './question.ts'
export { answering, detach, endWaits, interruptWaits, resolveTimer, resultOf, tellCall } from './resolve.ts'
export { resumeCall } from './resume.ts'
export { parkForSpawned, parkForTasks, taskThing } from './tasks.ts'
export { parkForTime } from './timer.ts'
export { needsPerson, sessionsBehind } from './waited-for.ts'
export {
  atLatest,
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
