export { reachable, resolveAddress } from './addresses.ts'
export {
  attend,
  type ChainLimits,
  GO_ON,
  letGoOn,
  limitsOf,
  nextHop,
  spentBy,
  stopChain,
  tasksSpent,
} from './chains.ts'
export { deliver, getReceipt, mailRow, mailText, post, postFirst, waitingMail } from './deliver.ts'
export { lookAtInvocation, skillsOfReceiver } from './invoked.ts'
export { judgeFor, policyOf } from './judge.ts'
export { COORDINATOR, EVERYONE, memberAt, membersNamed } from './members.ts'
export type { Party, Speaker } from './party.ts'
export { questionPolicy } from './questions.ts'
export { listReadable, reachableAgents, readSession } from './reachable.ts'
export { releaseChain } from './release.ts'
export { waitForReply } from './replies.ts'
export { answerAs, askAs, askOrRefuse, type Sent, sendAs, sendToAll, waitForAnswer, waitingQuestions } from './send.ts'
export { chainOf, partyOf, speakerOf } from './senders.ts'
export { bringAnswer, lapseAsk } from './settle.ts'
export { dropMail, expireMail, type NoteOn, takeMail, takeNews } from './take.ts'
export { newChainId } from './unattended.ts'
