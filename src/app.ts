import { chmodSync, existsSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { ServerFile } from './contract/api.ts'
import { AppError, homeUnusable } from './contract/errors.ts'
import type { EffectiveSettings } from './contract/settings.ts'
import { type Core, createBus, type Engine, type Project, type Tool, type ToolSource } from './core/base/index.ts'
import { createClientTools } from './core/clients/index.ts'
import { effectiveSettings, findProject, type Learn, maskOf } from './core/config/index.ts'
import { stopEnds } from './core/hooks/index.ts'
import { socketOf, watchedIn } from './core/permissions/index.ts'
import { startHousekeeping } from './core/server/index.ts'
import { createHistoryCache, createTokens } from './core/sessions/index.ts'
import { askAboutLeftChanges } from './core/waits/index.ts'
import { createEmbeddedEngine } from './engines/embedded.ts'
import { openDevices } from './http/guard/devices.ts'
import { openSecurityLog } from './http/guard/security-log.ts'
import type { FeedLimits } from './http/live/feed.ts'
import { createServer } from './http/server.ts'
import { type Clock, iso, systemClock } from './lib/clock.ts'
import { writeAtomic } from './lib/files/files.ts'
import { folderProblem } from './lib/files/folders.ts'
import { hex } from './lib/ids.ts'
import { fileLog } from './lib/log.ts'
import type { Mask } from './lib/mask.ts'
import { stopAll } from './lib/process/background.ts'
import { armCrash } from './lib/process/crash.ts'
import { recordChildren, sweepLeftovers } from './lib/process/leftovers.ts'
import { sweepWatched } from './lib/sandbox/watch.ts'
import { createModelRuntime, type ProviderView } from './runtimes/model/index.ts'
import { lockFolder } from './store/drivers/folder-lock.ts'
import { restoreDatabase } from './store/drivers/restore.ts'
import { openSqlite } from './store/drivers/sqlite.ts'
import { onUnreadable } from './store/drivers/unreadable.ts'
import { openSections } from './store/sections/sections.ts'
import type { Store } from './store/store.ts'
import { nextTimer } from './store/timers.ts'
import { hasActiveTrigger } from './store/triggers.ts'
import { createCustomTools } from './tools/custom/custom-tools.ts'
import { builtInTools } from './tools/index.ts'
import { createMcp } from './tools/mcp/mcp.ts'
import { createRunTools } from './tools/runs/source.ts'
import { createSkillTool } from './tools/skills/source.ts'

interface StartOptions {
  readonly home: string
  /** A folder of the project for requests that name none. */
  readonly project: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly flags?: Readonly<Record<string, unknown>>
  readonly host?: string
  readonly port?: number
  /** The server ends by itself after so many minutes without a client, an open turn, a timer or an active trigger. */
  readonly idleExitMinutes?: number
  readonly clock?: Clock
  /** Instead of the built-in ones. */
  readonly tools?: readonly Tool[]
  /** Instead of the usual ones. */
  readonly toolSources?: readonly ToolSource[]
  /** Beside the runtime of models, or instead of it. */
  readonly runtimes?: Core['runtimes']
  readonly feedLimits?: FeedLimits
  /** The folder of the built page, instead of the usual one. */
  readonly page?: string
}

export interface StartedServer {
  readonly url: string
  readonly token: string
  readonly pid: number
  /** The inside, for tests that hold the server in their own process. */
  readonly core: Core
  stop(): Promise<void>
  readonly done: Promise<void>
}

const CLOSE_MS = 1500
const LOOK_MS = 30_000
const HISTORY_BYTES = 64 * 1024 * 1024

/** config → store → core → engine, runtimes, tools → http. The only place that sees all of it. */
export async function startServer(options: StartOptions): Promise<StartedServer> {
  const clock = options.clock ?? systemClock
  armCrash(options.env.TROUPE_CRASH_AT, options.env.TROUPE_CRASH_RECORD)
  const home = openHome(options.home)
  const lock = lockFolder(home, process.pid)
  try {
    return await startLocked(options, home, clock, lock.free)
  } catch (error) {
    lock.free()
    throw error
  }
}

async function startLocked(
  options: StartOptions,
  home: string,
  clock: Clock,
  unlock: () => void,
): Promise<StartedServer> {
  const sources = { home, env: options.env, flags: flagsOf(options) }
  const token = ownerToken(home)
  const tokens = createTokens(token)
  const { mask, learn } = maskOf(sources, token)
  const log = fileLog({ file: join(home, 'logs', 'troupe.log'), now: () => clock.now(), mask })
  const children = join(home, 'children.jsonl')
  await sweepLeftovers(children)
  recordChildren(children)
  await sweepWatched(watchedIn({ home }), options.env)

  const project = findProject(home, options.project)
  const { settings } = await effectiveSettings(sources, project)
  learn(project.id, settings)
  const store = await openStore(settings, home, clock, mask)
  const unwatch = onUnreadable((place) => log('error', 'a row cannot be read and was put aside', { ...place }))

  const model = createModelRuntime({
    env: options.env,
    clock,
    settings: providersIn(sources, learn),
    own: () => server.url,
    home,
    demoDelayMs: demoDelay(options.env),
  })
  const clientTools = createClientTools()
  const mcp = createMcp({ home, learn })
  let engine: Engine
  const core: Core = {
    ...sources,
    store,
    sections: openSections(join(home, 'index.db')),
    clock: options.clock ?? { now: store.time },
    log,
    mask,
    security: openSecurityLog(home, clock, mask),
    project,
    instance: hex(8),
    host: hostOf(home),
    bus: createBus(),
    histories: createHistoryCache(HISTORY_BYTES),
    tools: new Map((options.tools ?? builtInTools).map((tool) => [tool.name, tool])),
    toolSources: [
      ...(options.toolSources ?? [createSkillTool(), createRunTools(), createCustomTools(), mcp]),
      clientTools,
    ],
    mcp,
    models: model.models,
    runtimes: { model, ...options.runtimes },
    wake: (sessionId) => engine.wake(sessionId),
    alarm: (due) => engine.alarm(due),
    tokenOf: tokens.tokenOf,
    url: () => server.url,
  }
  engine = createEmbeddedEngine(core, {
    maxTurns: settings.limits.maxConcurrentTurns,
    alone: store.alone,
    name: hostname(),
  })

  const done = Promise.withResolvers<void>()
  let stopped: Promise<void> | undefined
  const stop = () => (stopped ??= shutDown().finally(done.resolve))
  const server = await createServer(core, {
    host: settings.server.host,
    port: settings.server.port,
    publicUrl: settings.server.publicUrl,
    token,
    tokens,
    devices: openDevices(home, clock),
    socket: socketOf({ home }),
    engine,
    clientTools,
    shutdown: () => void stop(),
    ...(options.feedLimits && { feedLimits: options.feedLimits }),
    ...(options.page !== undefined && { page: options.page }),
  }).catch(async (error) => {
    await store.close()
    throw error
  })
  const serverFile = join(home, 'server.json')
  await askAboutLeftChanges(core)
  await engine.start()
  const housekeeping = startHousekeeping(core)
  writeAtomic(
    serverFile,
    JSON.stringify({ url: server.url, pid: process.pid, instance: core.instance } satisfies ServerFile),
    0o600,
  )
  log('info', 'serving', { url: server.url, store: store.about })
  const idle = options.idleExitMinutes === undefined ? undefined : setInterval(exitWhenUnused, LOOK_MS).unref()

  /** Nobody would end a server that a command started by itself, so it ends itself. */
  async function exitWhenUnused(): Promise<void> {
    const { streams, lastRequestAt } = server.activity()
    const quietMs = clock.now() - lastRequestAt
    if (!existsSync(home)) return stop()
    if (engine.running > 0 || streams > 0 || quietMs <= (options.idleExitMinutes ?? 0) * 60_000) return
    if ((await nextTimer(store.read)) !== undefined || (await hasActiveTrigger(store.read))) return
    await stop()
  }

  async function shutDown(): Promise<void> {
    clearInterval(idle)
    housekeeping.stop()
    rmSync(serverFile, { force: true })
    await Promise.all([engine.stop(), server.close(), stopAll()])
    await stopEnds(core)
    await core.sections.close()
    await Promise.all([...core.toolSources, mcp].map((source) => source.close?.()))
    // A query that still runs after the drain must not keep the process: what it would write is fenced or rolled back.
    await Promise.race([store.close(), delay(CLOSE_MS, undefined, { ref: false })])
    unwatch()
    log('info', 'stopped')
    unlock()
  }

  return { url: server.url, token, pid: process.pid, core, stop, done: done.promise }
}

/** Puts a backup in place of the database, as the only user of the data folder. */
export async function restoreBackup(
  options: Pick<StartOptions, 'home' | 'project' | 'env'> & { readonly file: string },
): Promise<{ kept?: string }> {
  armCrash(options.env.TROUPE_CRASH_AT)
  const home = openHome(options.home)
  const lock = lockFolder(home, process.pid)
  try {
    const sources = { home, env: options.env, flags: {} }
    const { settings } = await effectiveSettings(sources, findProject(home, options.project))
    if (settings.store.url !== undefined) {
      throw new AppError('backup.failed', 'The store is PostgreSQL, which has its own backups.', {
        hint: 'Use pg_restore on the database that TROUPE_DATABASE_URL names.',
      })
    }
    const stamp = iso(systemClock.now()).replaceAll(/[:.]/g, '-')
    return await restoreDatabase(join(home, 'data.db'), options.file, stamp)
  } finally {
    lock.free()
  }
}

/** Data and keys are the owner's alone. */
function openHome(folder: string): string {
  const problem = folderProblem(join(folder, 'logs'))
  if (problem !== undefined) throw homeUnusable(folder, problem)
  const home = realpathSync(folder)
  chmodSync(home, 0o700)
  return home
}

function ownerToken(home: string): string {
  const file = join(home, 'token')
  if (!existsSync(file)) writeAtomic(file, `${hex(32)}\n`, 0o600)
  return readFileSync(file, 'utf8').trim()
}

/** The data folder's name in leases, the same at every start; the folder's lock lets one process at a time use it. */
function hostOf(home: string): string {
  const file = join(home, 'host')
  if (!existsSync(file)) writeAtomic(file, `${hex(8)}\n`, 0o600)
  return readFileSync(file, 'utf8').trim()
}

function flagsOf({ flags = {}, host, port }: StartOptions): Record<string, unknown> {
  return {
    ...flags,
    ...(host === undefined ? {} : { 'server.host': host }),
    ...(port === undefined ? {} : { 'server.port': port }),
  }
}

async function openStore(settings: EffectiveSettings, home: string, clock: Clock, mask: Mask): Promise<Store> {
  const now = () => clock.now()
  const { url, durability } = settings.store
  if (url === undefined) return openSqlite({ file: join(home, 'data.db'), durability, now, mask })
  // The driver of PostgreSQL is large, and most people do not need it.
  const { openPostgres } = await import('./store/drivers/postgres.ts')
  return openPostgres({ url, now, mask })
}

/** Returns the same object for the same settings, so that the runtime can keep what it makes of them. */
function providersIn(sources: Pick<Core, 'home' | 'env' | 'flags'>, learn: Learn) {
  const views = new WeakMap<EffectiveSettings, ProviderView>()
  return async (project: Project): Promise<ProviderView> => {
    const { settings, projectProviders } = await effectiveSettings(sources, project)
    learn(project.id, settings)
    const view = views.get(settings) ?? {
      providers: settings.providers ?? {},
      ofProject: projectProviders,
      ...(settings.defaultModel === undefined ? {} : { defaultModel: settings.defaultModel }),
    }
    views.set(settings, view)
    return view
  }
}

const demoDelay = (env: StartOptions['env']): number =>
  env.TROUPE_DEMO_DELAY_MS === undefined ? 15 : Number(env.TROUPE_DEMO_DELAY_MS)
