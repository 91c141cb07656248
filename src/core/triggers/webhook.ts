import { AppError } from '../../contract/errors.ts'
import type { Event } from '../../contract/events.ts'
import type { SessionId } from '../../contract/ids.ts'
import type { ActionOf } from '../../contract/triggers.ts'
import { iso } from '../../lib/clock.ts'
import { guardedFetch } from '../../lib/net/guarded-fetch.ts'
import { FetchRefused } from '../../lib/net/guarded-target.ts'
import { crashPoint } from '../../lib/process/crash.ts'
import { findFire, updateFire } from '../../store/fires.ts'
import type { TimerRow } from '../../store/tables.ts'
import { deleteTimers, insertTimer, payloadOf, postponeTimer, takeTimer } from '../../store/timers.ts'
import { actionIn, findTrigger, lockTrigger } from '../../store/triggers.ts'
import { type Core, signatureOf, type Tx, transact } from '../base/index.ts'
import { partyOf } from '../mail/index.ts'
import type { Action, Firing, PreparedAct } from './action.ts'
import { tellPerson } from './ledger.ts'

type Hook = ActionOf<'webhook'>

/** How long until the next try, after each that failed; longer than a try takes. */
const WAITS_MS = [30_000, 120_000, 600_000, 1_800_000, 7_200_000]
const TRIES = WAITS_MS.length + 1
const AT_ONCE = 8
const FULL_MS = 1000
const limits = { redirects: 0, headersMs: 10_000, totalMs: 15_000 }

/** Calls an address of somebody else: later and by itself, so that a receiver who is away holds up nobody. */
export const webhookAction: Action<Hook> = {
  async check(core, { owner }, action) {
    if (owner === undefined) return
    if (action.private)
      throw new AppError('trigger.invalid', 'action.private: only a person may open their own network.', {
        hint: 'Leave "private" out.',
      })
    await mayCallOut(core, owner, action)
  },
  async prepare(core, firing, action): Promise<PreparedAct> {
    const { owner_session_id: owner } = firing.row
    if (owner !== null) await mayCallOut(core, owner, action)
    return { run: (tx) => leave(tx, firing) }
  },
}

/** Whoever may not read from a host may not call it either: neither without a tool of the web, nor past a rule that denies it. */
async function mayCallOut(core: Core, owner: SessionId, { url }: Hook): Promise<void> {
  const party = await partyOf(core, owner)
  await party.mustNotRefuse('web_fetch', { url })
  await party.mustNotRefuse('schedule', {
    type: 'delayed',
    config: { delaySeconds: 1 },
    action: { type: 'webhook', url },
  })
}

async function leave(tx: Tx, { id, event, row }: Firing) {
  await insertTimer(tx.db, hookTimer(id, tx.now, { event }))
  tx.alarm(tx.now)
  const action = actionIn(row)
  return { result: { url: action?.type === 'webhook' ? action.url : '' }, delivery: 'pending' } as const
}

const hookTimer = (fire: string, due: number, kept: { readonly event?: Event | undefined }) => ({
  id: `hook:${fire}`,
  due_at: due,
  kind: 'hook',
  ref: fire,
  session_id: null,
  payload: JSON.stringify(kept),
})

const underWay = new Set<string>()

/** One try. The next one is set before this one is made, so that a crash loses none; the receiver tells them apart by the fire. */
export async function serveHook(core: Core, timer: TimerRow): Promise<void> {
  if (underWay.size >= AT_ONCE || underWay.has(timer.ref))
    return transact(core, 'hook.wait', (tx) => postponeTimer(tx.db, timer, tx.now + FULL_MS, payloadOf(timer)))
  // Before anything is awaited: many timers ring at once, and each of them counts.
  underWay.add(timer.ref)
  const free = () => underWay.delete(timer.ref)
  const kept = payloadOf<{ event: Event }>(timer)
  const tried = await begin(core, timer, kept).catch((error: unknown) => {
    free()
    throw error
  })
  if (tried === undefined) return void free()
  // Not awaited: other timers must not wait for somebody else's server.
  void call(core, tried, kept.event)
    .catch((error: unknown) =>
      core.log('error', 'the outcome of a webhook could not be written', { error: String(error) }),
    )
    .finally(free)
}

const begin = (core: Core, timer: TimerRow, kept: { readonly event?: Event }) =>
  transact(core, 'hook.try', async (tx) => {
    if (!(await takeTimer(tx.db, timer))) return undefined
    const fire = await findFire(tx.db, timer.ref)
    const row = fire && (await findTrigger(tx.db, fire.trigger_id))
    if (row === undefined || fire?.delivery !== 'pending') return undefined
    const action = actionIn(row)
    if (action?.type !== 'webhook') {
      await updateFire(tx.db, fire.id, { delivery: 'failed', reason: 'Its trigger has another action by now.' })
      return undefined
    }
    const attempts = fire.attempts + 1
    await updateFire(tx.db, fire.id, { attempts })
    const next = tx.now + (WAITS_MS[attempts - 1] ?? WAITS_MS.at(-1)!)
    await insertTimer(tx.db, hookTimer(fire.id, next, kept))
    tx.alarm(next)
    return { row, action, fire: { ...fire, attempts } }
  })

type Try = NonNullable<Awaited<ReturnType<typeof begin>>>

async function call(core: Core, { row, action, fire }: Try, event: Event | undefined): Promise<void> {
  const body = JSON.stringify({
    trigger: { id: row.id, name: row.name, type: row.type, project: row.project_id },
    fire: { id: fire.id, dueAt: iso(fire.due_at), at: iso(fire.at), outcome: fire.outcome, attempt: fire.attempts },
    ...(event && { event }),
  })
  const outcome = await guardedFetch(action.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'user-agent': 'troupe',
      'troupe-fire': fire.id,
      'troupe-signature': signatureOf(core, body),
    },
    body,
    limits,
    headOnly: true,
    own: core.url(),
    ...(action.private ? { allows: () => true } : {}),
  }).then(
    ({ status }) => ({ status, ok: status >= 200 && status < 300, why: `It answered with ${status}.` }),
    (error: unknown) => {
      if (error instanceof FetchRefused) return { ok: false, why: error.message, status: undefined }
      throw error
    },
  )
  crashPoint('hook.called')
  await transact(core, 'hook.settle', async (tx) => {
    const trigger = await lockTrigger(tx.db, row.id)
    const fresh = await findFire(tx.db, fire.id)
    if (trigger === undefined || fresh?.delivery !== 'pending') return
    const result = JSON.stringify({
      url: action.url,
      ...(outcome.status === undefined ? {} : { status: outcome.status }),
    })
    const over = outcome.ok || fresh.attempts >= TRIES
    await updateFire(tx.db, fire.id, {
      result,
      reason: outcome.ok ? null : outcome.why,
      ...(over ? { delivery: outcome.ok ? 'done' : 'failed' } : {}),
    })
    if (!over) return
    await deleteTimers(tx.db, [`hook:${fire.id}`])
    if (!outcome.ok)
      await tellPerson(tx, trigger, 'failed', `${row.name}: its webhook failed`, `Tried ${TRIES} times: ${outcome.why}`)
  })
}
