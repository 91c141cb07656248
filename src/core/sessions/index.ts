export { describeCall } from './call-text.ts'
export { describeSession } from './details.ts'
export { appendMessages, createHistoryCache, readView, remember } from './history.ts'
export { hasStarted, markHooks, tellHooks } from './hook-marks.ts'
export { mustBeIdle } from './idle.ts'
export { lastWords, newestAnswer, snippetBefore } from './last-words.ts'
export { freeHeld, renewHeld, showHost } from './leases.ts'
export { deleteMessage, editMessage, forkSession, listMessages } from './log.ts'
export { whereOf } from './log-name.ts'
export { writeLog } from './log-notes.ts'
export { findInLog } from './log-words.ts'
export { isForOnce, isOver } from './modes.ts'
export { calledAs, nameWithHandle } from './names.ts'
export { isForeign, type Place, placeFor, whyNotHere } from './place.ts'
export { projectOfSession } from './project.ts'
export { modelBelow } from './replay.ts'
export {
  acquit,
  addSession,
  beginTurn,
  close,
  erase,
  giveBack,
  goOnWithTurn,
  hold,
  isTaken,
  keepOpen,
  leaveTurn,
  lower,
  PAUSED,
  PAUSED_WITH_RUN,
  raise,
  reopen,
  rest,
  resume,
  SUSPECT_AFTER,
  tellToPause,
  tellToStop,
  want,
} from './row.ts'
export { compareFile, rememberFile } from './seen-files.ts'
export {
  changed,
  changeSession,
  createSession,
  findByRef,
  getSession,
  gone,
  listSessions,
  markRead,
  newSession,
  replayOf,
  shownHandle,
} from './sessions.ts'
export { readTodos, writeTodos } from './todos.ts'
export { createTokens, type Holder, holderOf, holds, type SessionTokens } from './tokens.ts'
export { summaryText, viewOf } from './view.ts'
export { tokensIn, weightOf, weightOfPart } from './weight.ts'
