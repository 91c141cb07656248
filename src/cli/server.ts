import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { errorIn } from '../client/failure.ts'
import type { Whereabouts } from '../client/live.ts'
import type { ServerFile } from '../contract/api.ts'
import { homeUnusable } from '../contract/errors.ts'
import { systemClock } from '../lib/clock.ts'
import { folderProblem } from '../lib/files/folders.ts'
import { givesBack } from '../lib/process/memory.ts'
import { startDetached } from '../lib/process/programs.ts'
import { program, troupe } from './called.ts'
import type { Cli } from './cli.ts'
import { exits, Failure } from './failure.ts'
import { warnAboutKeys } from './keys.ts'
import { note } from './print.ts'
import { sendOver } from './transport.ts'

export interface Reached {
  readonly url: string
  readonly token: string
  readonly pid: number
}

const START_MS = 60_000
const POLL_MS = 50

/** The server that owns this data folder. When none answers, one is started in the background. */
export async function reachServer(cli: Cli): Promise<Reached> {
  if (cli.acting) throw onlyActing()
  const running = await findServer(cli.home)
  if (running) {
    const reached = withToken(cli, running)
    await warnAboutKeys(cli, reached)
    return reached
  }
  if (!cli.start) {
    throw new Failure(exits.unreachable, `No server runs for ${cli.home}.`, {
      code: 'cli.no_server',
      hint: `Start one with "${troupe} up", or leave out --no-start.`,
    })
  }
  return startOnce(cli)
}

/** Whoever lost a server asks for it from several places at once, which is one start for all of them. */
const starts = new Map<string, Promise<Reached>>()

function startOnce(cli: Cli): Promise<Reached> {
  const begun = starts.get(cli.home)
  if (begun) return begun
  note('Starting the server in the background …')
  const start = startInBackground(cli, ['--any-port', '--idle-exit', '30']).finally(() => starts.delete(cli.home))
  starts.set(cli.home, start)
  return start
}

/** What server.json says, if the server that wrote it is alive and answers. */
export async function findServer(home: string): Promise<ServerFile | undefined> {
  const server = readServerFile(home)
  if (!server || !isAlive(server.pid)) return undefined
  try {
    const asked = { method: 'GET', headers: {}, signal: AbortSignal.timeout(5000) }
    const { ok } = await sendOver()(new URL('/api/health', server.url), asked)
    return ok ? server : undefined
  } catch {
    return undefined
  }
}

/** How a client that lost its connection finds the server again. A server that was killed is started again. */
export const whereabouts = (cli: Cli): Whereabouts => ({
  find: async () => (await findServer(cli.home))?.url,
  revive: () => reachServer(cli),
})

/** Starts `troupe up` in the background and waits until a server serves this folder: ours, or one that was faster. */
export async function startInBackground(cli: Cli, flags: readonly string[]): Promise<Reached> {
  const log = printedFile(cli.home)
  const problem = folderProblem(dirname(log))
  if (problem !== undefined) throw homeUnusable(cli.home, problem)
  const launch = () => {
    const from = existsSync(log) ? statSync(log).size : 0
    const up = [program, 'up', '--background', '--json', '--home', cli.home, '--project', cli.project, ...flags]
    const child = startDetached([...givesBack, ...up], log, cli.home)
    const launched = { pid: child.pid, ended: false, said: () => saidSince(log, from) }
    child.exited.then(() => {
      launched.ended = true
    })
    return launched
  }

  const giveUpAt = systemClock.now() + START_MS
  let ours = launch()
  let starting = ours.pid
  while (systemClock.now() < giveUpAt) {
    // As it is before the look, which takes a while: after its end there is one more.
    const { ended } = ours
    const gaveWay = ended && ours.said().includes('store.locked')
    if (ended) starting = gaveWay ? holderIn(ours.said()) : undefined
    const server = await findServer(cli.home)
    if (server) return withToken(cli, server)
    if (ended && !gaveWay) break
    // The one that had the folder was about to end, and has ended.
    if (gaveWay && starting !== undefined && !isAlive(starting)) ours = launch()
    await pause(POLL_MS)
  }
  throw notStarted(log, ours.said(), starting)
}

/** Who has the folder, as ours said when it gave way: one that was started at the same moment, or one that ends. */
function holderIn(said: string): number | undefined {
  const pid = /\(pid (\d+)\)/.exec(said)?.[1]
  return pid === undefined ? undefined : Number(pid)
}

/** What the server records, one JSON object a line. */
export const logFile = (home: string): string => join(home, 'logs', 'troupe.log')

/** What a server in the background prints. */
export const printedFile = (home: string): string => join(home, 'logs', 'server.log')

export function readServerFile(home: string): ServerFile | undefined {
  try {
    const file: unknown = JSON.parse(readFileSync(join(home, 'server.json'), 'utf8'))
    return isServerFile(file) ? file : undefined
  } catch {
    return undefined
  }
}

/** Checked by hand: loading zod for this would make every command slower. */
const isServerFile = (file: unknown): file is ServerFile =>
  typeof file === 'object' &&
  file !== null &&
  ['url', 'instance'].every((field) => typeof Reflect.get(file, field) === 'string') &&
  Number.isInteger(Reflect.get(file, 'pid'))

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function withToken(cli: Cli, server: ServerFile): Reached {
  try {
    return { url: server.url, pid: server.pid, token: readFileSync(join(cli.home, 'token'), 'utf8').trim() }
  } catch {
    throw new Failure(
      exits.unreachable,
      `A server runs at ${server.url}, but ${join(cli.home, 'token')} cannot be read.`,
      {
        code: 'cli.no_token',
        hint: 'Run the command as the user who started the server, or set TROUPE_HOME to a folder of your own.',
      },
    )
  }
}

const onlyActing = (): Failure =>
  new Failure(exits.failed, 'TROUPE_TOKEN is set: this command acts for a session, and this is for the person to do.', {
    code: 'cli.acting',
    hint: 'Unset TROUPE_TOKEN to act as the person.',
  })

const SAID_LIMIT = 16 * 1024

function saidSince(file: string, offset: number): string {
  if (!existsSync(file)) return ''
  const fd = openSync(file, 'r')
  try {
    const length = Math.min(SAID_LIMIT, Math.max(0, fstatSync(fd).size - offset))
    const buffer = Buffer.alloc(length)
    readSync(fd, buffer, 0, length, offset)
    return buffer.toString('utf8')
  } finally {
    closeSync(fd)
  }
}

/** Why there is no server: what the one that was started said, or that it is still about to start. */
export function notStarted(log: string, said: string, starting: number | undefined): Failure {
  if (starting !== undefined) {
    return new Failure(
      exits.unreachable,
      `The server (pid ${starting}) does not serve yet after ${START_MS / 1000} s.`,
      {
        code: 'cli.not_started',
        hint: `It may still do so: "${troupe} status" says when. If it does not, read ${log}, and end it with kill ${starting}.`,
      },
    )
  }
  for (const line of said.trim().split('\n').reverse()) {
    // Not every line is JSON: a crash prints a stack.
    const error = errorIn(line)
    if (error) return new Failure(exits.unreachable, error.message, error)
  }
  const last = said.trim().split('\n').at(-1)
  return new Failure(exits.unreachable, `The server did not start${last ? `: ${last}` : '.'}`, {
    code: 'cli.not_started',
    hint: `Read ${log}, or start it in the foreground with "${troupe} up" to watch it.`,
  })
}
