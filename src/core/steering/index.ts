export { compactSession } from './compact.ts'
export { answerInbox, dismissInbox } from './inbox.ts'
export { listInbox } from './inbox-list.ts'
export {
  cancelSession,
  cancelTree,
  clearSession,
  closeSession,
  deleteSession,
  pauseSession,
  reopenSession,
  resumeSession,
} from './lifecycle.ts'
export { steerMember } from './members.ts'
export { retryTask } from './retry.ts'
export { pauseAll, resumeAll } from './standstill.ts'
export { backSession, leadPerson, promoteSession, switchSession } from './switching.ts'
export { cancelTask, respondTask } from './tasks.ts'
export { tidyMemory } from './tidy.ts'
