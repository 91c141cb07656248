import { isStoreTrouble } from '../contract/errors.ts'
import type { SessionId } from '../contract/ids.ts'
import { type Core, type Engine, LeaseLost } from '../core/base/index.ts'
import { freeHeld, renewHeld, SUSPECT_AFTER, showHost } from '../core/sessions/index.ts'
import { settleAbandoned } from '../core/spending/index.ts'
import { claim, offerSlots } from '../core/tasks/index.ts'
import { endStranded, failTurn, runTurn, type Turn } from '../core/turns/index.ts'
import { crashPoint } from '../lib/process/crash.ts'
import { toldSessions } from '../store/leases.ts'
import { findSession } from '../store/sessions.ts'
import { unclaimedSessions } from '../store/slots.ts'
import { createAlarm } from './alarm.ts'
import { checkSuspects } from './check.ts'
import { createWatcher } from './watcher.ts'

interface EmbeddedOptions {
  /** Turns at once; more wait as wanted rows. */
  readonly maxTurns: number
  /** The data folder's lock proves that no other process works on this database. */
  readonly alone: boolean
  /** The machine, for people. */
  readonly name: string
}

/** A lease is renewed several times before it runs out, so a machine that is busy for some seconds loses no work. */
const LEASE_MS = 15_000
/** A lease that was not renewed for this long counts as lost: what runs must end before another may take over. */
const LOST_MS = (LEASE_MS * 2) / 3
const RENEW_MS = 2000
const SWEEP_MS = 2000
const SWEEP_ALONE_MS = 10_000
const DRAIN_MS = 8000
const SHOW_MS = 10_000
/** How long a session is left to its own host before this one looks again whether it could run it. */
const ELSEWHERE_MS = 10_000

interface Running {
  readonly stop: AbortController
  /** Nothing else is in hand: it is checked after a crash. */
  readonly alone: boolean
  done: Promise<void>
  turn?: Turn
  /** The turn is over, but the row may be wanted again already: a wake must not get lost now. */
  leaving?: boolean
  again?: boolean
  /** A wake came while the row was being claimed: the claim may have looked too early to see that it is wanted. */
  missed?: boolean
}

/** Runs sessions in this process. The rows are the truth; wakes are hints over them. */
export function createEmbeddedEngine(core: Core, { maxTurns, alone, name }: EmbeddedOptions): Engine {
  const running = new Map<SessionId, Running>()
  const alarm = createAlarm(core)
  const watcher = createWatcher(core)
  /** Sessions whose next claim goes on with a turn that the store broke off. */
  const spared = new Set<SessionId>()
  /** Sessions whose turn could be neither run nor ended here, though the process lived on. */
  const stuck = new Set<SessionId>()
  /** Sessions that this host cannot run and leaves to their own. */
  const elsewhere = new Set<SessionId>()
  let stopping = false
  /** Suspects are checked alone; whatever else is wanted waits as its row. */
  let checking = false
  let sweeper: NodeJS.Timeout | undefined
  let renewer: NodeJS.Timeout | undefined
  let unrenewed: NodeJS.Timeout | undefined
  let shownAt = Number.NEGATIVE_INFINITY

  function wake(id: SessionId): void {
    if (stopping) return
    elsewhere.delete(id)
    const current = running.get(id)
    if (current === undefined) {
      if (!checking && running.size < maxTurns) start(id)
    } else if (current.leaving) current.again = true
    else {
      current.missed = current.turn === undefined
      void look(id, current)
    }
  }

  function start(id: SessionId, checked = false): Running {
    const entry: Running = { stop: new AbortController(), alone: checked, done: Promise.resolve() }
    running.set(id, entry)
    entry.done = run(id, entry).then(
      () => left(id, entry),
      (error) => {
        core.log('error', 'a turn could not be run', { sessionId: id, error: trace(error) })
        stuck.add(id)
        left(id, entry)
      },
    )
    if (renewer === undefined) {
      renewer = setInterval(() => void renew(), RENEW_MS)
      expectRenewal(performance.now())
    }
    return entry
  }

  async function run(id: SessionId, entry: Running): Promise<void> {
    const session = await claim(core, id, { leaseMs: LEASE_MS, countsTo: countsTo(id, entry) })
    crashPoint('engine.claimed')
    if (session === undefined) {
      entry.leaving = true
      entry.again = entry.missed === true
      return
    }
    const lease = { sessionId: id, fence: session.fence, signal: entry.stop.signal, alone: entry.alone }
    try {
      const end = await runTurn(core, lease, session, (turn) => {
        entry.turn = turn
        void look(id, entry)
      })
      if (end === 'elsewhere') return leaveToOthers(id)
    } catch (error) {
      if (isStoreTrouble(error)) return comeBack(id, error.message)
      if (!(error instanceof LeaseLost)) {
        core.log('error', 'a turn broke', { sessionId: id, error: trace(error) })
        await failTurn(core, lease)
      }
    }
    entry.leaving = true
    entry.again = (await findSession(core.store.read, id))?.wanted_at != null || entry.again === true
  }

  /**
   * Beside others a session is at most suspected. What it does alone counts against it, and so does what the process
   * survived; a turn that the store broke off is spared.
   */
  function countsTo(id: SessionId, { alone }: Running): number {
    if (spared.delete(id)) return 0
    return stuck.delete(id) || alone ? Number.MAX_SAFE_INTEGER : SUSPECT_AFTER
  }

  function leaveToOthers(id: SessionId): void {
    elsewhere.add(id)
    setTimeout(() => elsewhere.delete(id), ELSEWHERE_MS).unref()
  }

  /**
   * A full disk or a database that is away is no fault of the turn: the turn stays open and is tried again when its lease
   * has run out, and that is not counted as an attempt.
   */
  function comeBack(id: SessionId, why: string): void {
    core.log('warn', 'a turn waits for the store', { sessionId: id, why })
    spared.add(id)
    setTimeout(() => wake(id), LEASE_MS + 1000).unref()
  }

  function left(id: SessionId, entry: Running): void {
    running.delete(id)
    if (stopping) return
    if (entry.again) wake(id)
    else if (running.size === maxTurns - 1) void sweep()
  }

  /** Something about a running session changed: does a person want it to stop what it is doing? */
  async function look(id: SessionId, entry: Running): Promise<void> {
    // This stops only what ran when the row was read: an interrupt that was handled meanwhile stops nothing new.
    const stop = entry.turn?.stop
    if (stop === undefined) return
    const session = await findSession(core.store.read, id)
    const reason = session?.deleted_at != null ? 'deleted' : stopReasons[session?.signal ?? '']
    if (reason !== undefined) stop.abort(reason)
  }

  async function renew(): Promise<void> {
    if (running.size === 0) {
      clearInterval(renewer)
      clearTimeout(unrenewed)
      renewer = undefined
      return
    }
    if (!alone) await renewAll()
    // As in `look`, this stops only what ran when the rows were read.
    const stops = [...running].map(([id, { turn }]) => ({ id, stop: turn?.stop }))
    const told = await toldSessions(core.store.read, [...running.keys()]).catch(() => [])
    for (const { id, signal, deleted_at } of told) {
      const reason = deleted_at === null ? stopReasons[signal ?? ''] : 'deleted'
      if (reason !== undefined) stops.find((one) => one.id === id)?.stop?.abort(reason)
    }
  }

  async function renewAll(): Promise<void> {
    const asked = performance.now()
    const ids = [...running.keys()]
    // Sessions that are still being claimed do not count: their lease may begin after the query below.
    const held = [...running].filter(([, { turn }]) => turn !== undefined)
    try {
      const kept = await renewHeld(core, ids, LEASE_MS)
      expectRenewal(asked)
      for (const [id, entry] of held) if (!kept.includes(id)) entry.stop.abort('lease lost')
    } catch (error) {
      core.log('warn', 'leases could not be renewed', { error: String(error) })
    }
  }

  /** When renewals fail or hang, another process may take over soon; what runs here must be gone by then. */
  function expectRenewal(renewedAt: number): void {
    clearTimeout(unrenewed)
    if (alone || stopping) return
    const giveUp = (): void => {
      for (const entry of running.values()) entry.stop.abort('lease lost')
      if (running.size > 0) expectRenewal(performance.now())
    }
    unrenewed = setTimeout(giveUp, LOST_MS - (performance.now() - renewedAt))
  }

  /** Starts every wanted session without a live lease, whatever hint was lost. */
  async function sweep(): Promise<void> {
    const room = maxTurns - running.size
    if (stopping || checking || room <= 0) return
    try {
      // The process that set or claimed a timer may be gone.
      if (!alone) void alarm.look()
      await offerSlots(core).catch((error: unknown) => {
        core.log('error', 'tasks in line could not be woken', { error: String(error) })
      })
      const now = await core.store.now(core.store.read)
      // Sessions that run here may look unclaimed, as a lone process renews no lease; they must not crowd out others.
      const wanted = { host: core.host, now, limit: maxTurns, except: [...elsewhere] }
      const unclaimed = await unclaimedSessions(core.store.read, wanted)
      for (const id of unclaimed.filter((one) => !running.has(one)).slice(0, room)) start(id)
    } catch (error) {
      core.log('error', 'wanted sessions could not be read', { error: String(error) })
    }
  }

  async function check(): Promise<void> {
    checking = true
    await checkSuspects(core, (id) => (stopping ? undefined : start(id, true))).catch((error: unknown) => {
      core.log('error', 'sessions could not be checked', { error: trace(error) })
    })
    checking = false
    await sweep()
  }

  /** Other hosts can see that this one is there. */
  async function show(): Promise<void> {
    if (alone || performance.now() < shownAt + SHOW_MS) return
    shownAt = performance.now()
    await showHost(core, name).catch((error: unknown) => {
      core.log('warn', 'this host could not be shown', { error: String(error) })
    })
  }

  return {
    async start() {
      // Whoever held these before is dead: the data folder's lock proves it.
      await freeHeld(core, alone)
      await settleAbandoned(core)
      await endStranded(core)
      await show()
      void check()
      await alarm.look()
      void watcher.look()
      const look = (): void => void Promise.all([show(), sweep(), watcher.look()])
      sweeper = setInterval(look, alone ? SWEEP_ALONE_MS : SWEEP_MS)
    },
    wake,
    alarm: (due) => alarm.at(due),
    async stop() {
      stopping = true
      clearInterval(sweeper)
      clearInterval(renewer)
      clearTimeout(unrenewed)
      const served = alarm.stop()
      watcher.stop()
      for (const entry of running.values()) entry.stop.abort('shutdown')
      const enough = Promise.withResolvers<void>()
      const timer = setTimeout(enough.resolve, DRAIN_MS)
      const drained = Promise.all([served, ...[...running.values()].map(({ done }) => done)])
      await Promise.race([drained, enough.promise])
      clearTimeout(timer)
    },
    get running() {
      return running.size
    },
  }
}

const stopReasons: Record<string, string> = { interrupt: 'interrupted', cancel: 'canceled', close: 'canceled' }

const trace = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error))
