import { AppError } from '../../contract/errors.ts'
import { findSession } from '../../store/sessions.ts'
import type { SessionRow, SessionTimer, TimerRow } from '../../store/tables.ts'
import { findTask, hasEnded } from '../../store/tasks.ts'
import { payloadOf, postponeTimer, takeTimer } from '../../store/timers.ts'
import { type Core, type ErrandKind, transact } from '../base/index.ts'
import { lookAtBudget } from '../budgets/index.ts'
import { serveDelivery } from '../channels/index.ts'
import { serveEnd } from '../hooks/index.ts'
import { endAbsence, notify } from '../inbox/index.ts'
import { bringAnswer, expireMail, lapseAsk, releaseChain } from '../mail/index.ts'
import {
  beginNode,
  giveUpBoard,
  lapseStage,
  nudge,
  recordFiles,
  serveBoard,
  serveLimits,
  tellNews,
} from '../runs/index.ts'
import { chargeLater } from '../spending/index.ts'
import { cancelSession, closeSession, steerMember } from '../steering/index.ts'
import { offerSlots, tellTask } from '../tasks/index.ts'
import { giveUpTrigger, serveHook, serveTrigger, settleTick } from '../triggers/index.ts'
import { failWait } from '../turns/index.ts'
import { resolveTimer } from '../waits/index.ts'

const due: Record<ErrandKind | 'call' | 'mail', (core: Core, timer: SessionTimer) => Promise<unknown>> = {
  call: resolveTimer,
  mail: expireMail,
  ask: bringAnswer,
  'ask-until': (core, timer) => lapseAsk(core, timer.ref, timer),
  task: tellTask,
  charge: chargeLater,
  start: offerSlots,
  wait: failWait,
  close: (core, timer) => unlessGone(closeSession(core, timer.session_id, 'parent')).then(() => done(core, timer)),
  cancel: cancelLater,
  release: releaseChain,
  budget: lookAtBudget,
  tick: settleTick,
  hooks: serveEnd,
  news: tellNews,
  steer: steerMember,
  nudge,
}

/** What belongs to no session. */
const sessionless: Readonly<Record<string, (core: Core, timer: TimerRow) => Promise<unknown>>> = {
  trigger: serveTrigger,
  hook: serveHook,
  board: serveBoard,
  begin: beginNode,
  stage: lapseStage,
  presence: endAbsence,
  delivery: serveDelivery,
  limit: serveLimits,
  files: recordFiles,
}

const AGAIN_MS = 5000
const TRIES = 20

/** Does what a timer is for. A timer that fails is tried again later and in the end given up; it holds up no other. */
export async function ring(core: Core, timer: TimerRow): Promise<void> {
  try {
    await serve(core, timer)
  } catch (error) {
    const kept = payloadOf<{ tries: number }>(timer)
    const tries = (kept.tries ?? 0) + 1
    core.log('error', 'a timer could not be served', { timer: timer.id, tries, error: String(error) })
    await transact(core, 'timer.postpone', async (tx) => {
      if (tries < TRIES) return postponeTimer(tx.db, timer, tx.now + AGAIN_MS, { ...kept, tries })
      if (!(await takeTimer(tx.db, timer))) return
      if (timer.kind === 'trigger') return giveUpTrigger(tx, timer.ref, String(error))
      if (timer.kind === 'board') return giveUpBoard(tx, timer.ref, String(error))
      const session = timer.session_id === null ? undefined : await findSession(tx.db, timer.session_id)
      if (session) await notify(tx, session, givenUp(session, timer, error))
    })
  }
}

function serve(core: Core, timer: TimerRow): Promise<unknown> {
  const act = due[timer.kind as keyof typeof due]
  if (act !== undefined && timer.session_id !== null) return act(core, { ...timer, session_id: timer.session_id })
  return (sessionless[timer.kind] ?? done)(core, timer)
}

const givenUp = ({ agent }: SessionRow, { kind, ref }: TimerRow, error: unknown) => ({
  title: `Something that ${agent} waits for could not be done`,
  body: `${kind} ${ref} was tried ${TRIES} times: ${String(error)}\nSee "troupe logs"; a message to the session makes it go on.`,
})

const unlessGone = (act: Promise<unknown>): Promise<unknown> =>
  act.catch((error: unknown) => {
    if (!(error instanceof AppError) || error.code !== 'session.deleted') throw error
  })

/** An errand that means one task leaves alone what the session has begun since. */
async function cancelLater(core: Core, timer: SessionTimer): Promise<unknown> {
  const task = timer.ref.startsWith('task_') ? await findTask(core.store.read, timer.ref) : undefined
  if (task === undefined || !hasEnded(task)) await unlessGone(cancelSession(core, timer.session_id, 'parent'))
  return done(core, timer)
}

const done = (core: Core, timer: TimerRow): Promise<boolean> =>
  transact(core, 'timer.done', (tx) => takeTimer(tx.db, timer))
