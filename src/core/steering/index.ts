export { compactSession } from './compact.ts'
export { answerInbox, dismissInbox, listInbox } from './inbox.ts'
export {
  cancelSession,
  clearSession,
  closeSession,
  deleteSession,
  pauseSession,
  reopenSession,
  resumeSession,
} from './lifecycle.ts'
export { steerMember } from './members.ts'
export { retryTask } from './retry.ts'
export { backSession, leadPerson, promoteSession, switchSession } from './switching.ts'
export { cancelTask, respondTask } from './tasks.ts'
export { tidyMemory } from './tidy.ts'
