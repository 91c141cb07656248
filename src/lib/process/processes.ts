import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { Socket } from 'node:net'
import { constants } from 'node:os'
import { StringDecoder } from 'node:string_decoder'
import { fileURLToPath } from 'node:url'
import { hex } from '../ids.ts'
import { headTail } from '../text.ts'
import { type Caps, capsHold, commandCaps } from './caps.ts'
import { childEnvironment, type Variables } from './environment.ts'
import { childEnded, childStarted, endMarked, MARK } from './leftovers.ts'

export interface GuardedRequest {
  readonly program: readonly [string, ...string[]]
  readonly cwd: string
  /** Our own variables: only those that every program needs are passed on. */
  readonly env: Variables
  /** Variables this child is meant to have. */
  readonly declared?: Variables
  /** Open descriptors of ours that the child finds from number `FIRST_DESCRIPTOR` on; it gets no others. */
  readonly descriptors?: readonly number[]
  /** Abstract Unix sockets of other processes are out of reach. Needs Linux 6.12. */
  readonly scoped?: boolean
  readonly caps?: Caps
  /** It can be written to; without this there is nothing to read for it. */
  readonly listens?: boolean
  /** All that there is to read for it. */
  readonly input?: string
  onOutput(text: string): void
  /** What it prints as errors, which is output unless somebody wants it apart. */
  readonly onErrors?: (text: string) => void
}

export interface Ended {
  /** Null when a signal ended it. */
  readonly exitCode: number | null
  readonly signal: string | null
  /** It was ended because it used more than it may. */
  readonly over?: 'memory' | 'processes'
}

/** 0 to 2 are the usual ones, 3 is between the guard and us. */
export const FIRST_DESCRIPTOR = 4

export interface Guarded {
  readonly pid: number | undefined
  /** Settles when the whole tree is gone and all output has been passed on; rejects when it could not be started. */
  readonly ended: Promise<Ended>
  /** For a program that listens: what it reads next. */
  write(text: string): void
  /** Ends the tree: TERM, KILL after 2 s, and `ended` settles within 5 s whatever happens. */
  end(): void
}

export interface CommandRequest extends Omit<GuardedRequest, 'program' | 'onOutput'> {
  readonly command: string
  /** What to run instead of bash with the command, such as bash inside a sandbox. */
  readonly program?: readonly [string, ...string[]] | undefined
  readonly timeoutMs: number
  readonly signal?: AbortSignal
  readonly onOutput?: (text: string) => void
  /** How much of the output is kept, half from the beginning and half from the end. */
  readonly headTailChars: number
}

export interface CommandResult extends Ended {
  readonly output: string
  readonly timedOut: boolean
  readonly aborted: boolean
  readonly durationMs: number
}

/** The child could not be started; the message says what to do. */
export class StartError extends Error {}

const FORCE_MS = 4000
const LAST_ERRORS_MS = 200
const guardFile = fileURLToPath(new URL('./guard.pl', import.meta.url))
const perl = existsSync('/usr/bin/perl') ? '/usr/bin/perl' : 'perl'

/** Runs a bash command until its whole tree has ended. It does not wait for whoever still holds the output open. */
export async function runCommand(request: CommandRequest): Promise<CommandResult> {
  const started = performance.now()
  const kept = headTail(request.headTailChars)
  let timedOut = false
  let aborted = false
  if (request.signal?.aborted) return { ...nothing, output: '', timedOut, aborted: true, durationMs: 0 }
  const child = startGuarded({
    ...request,
    program: request.program ?? bashArguments(request.command),
    onOutput(text) {
      kept.push(text)
      request.onOutput?.(text)
    },
  })
  const onTimeout = setTimeout(() => {
    timedOut = true
    child.end()
  }, request.timeoutMs)
  const onAbort = () => {
    aborted = true
    child.end()
  }
  request.signal?.addEventListener('abort', onAbort, { once: true })
  try {
    const ended = await child.ended
    return { ...ended, output: kept.text(), timedOut, aborted, durationMs: Math.round(performance.now() - started) }
  } finally {
    clearTimeout(onTimeout)
    request.signal?.removeEventListener('abort', onAbort)
  }
}

export const bashArguments = (command: string): readonly [string, ...string[]] => ['bash', '-c', command]

/** Starts a program under guard.pl, which ends the tree when its pipe from us closes. May throw a StartError. */
export function startGuarded(request: GuardedRequest): Guarded {
  const mark = hex()
  const child = spawnGuard(request, mark)
  const { promise, resolve, reject } = Promise.withResolvers<Ended>()
  const control = child.stdio[3] as Socket
  const decoder = new StringDecoder('utf8')
  let report = ''
  let force: NodeJS.Timeout | undefined
  if (child.pid !== undefined) childStarted(child.pid, mark)

  child.stdout?.on('data', (bytes: Buffer) => request.onOutput(decoder.write(bytes)))
  child.stderr?.setEncoding('utf8').on('data', (text: string) => request.onErrors?.(text))
  // Whoever escaped the guard may hold it open for ever.
  if (child.stderr) child.on('exit', () => setTimeout(() => child.stderr?.destroy(), LAST_ERRORS_MS))
  control.on('data', (bytes: Buffer) => {
    report += bytes.toString('latin1')
  })
  control.on('error', () => {})
  child.stdin?.on('error', () => {})
  if (request.input !== undefined) child.stdin?.end(request.input)
  child.on('error', (error) => reject(startError(error, request.cwd)))
  child.on('close', () => void settle())

  return {
    pid: child.pid,
    ended: promise,
    write: (text) => void child.stdin?.write(text),
    end() {
      control.write('end\n')
      force ??= setTimeout(() => void giveUp(), FORCE_MS)
    },
  }

  async function settle(): Promise<void> {
    clearTimeout(force)
    const rest = decoder.end()
    if (rest) request.onOutput(rest)
    const status = /status (\d+)/.exec(report)?.[1]
    // Without a status the guard itself was killed: we find the processes it watched by their mark.
    if (status === undefined) await endMarked(mark)
    if (child.pid !== undefined) childEnded(child.pid)
    const over = /over (memory|processes)/.exec(report)?.[1] as Ended['over']
    resolve({ ...(status === undefined ? nothing : fromWait(Number(status))), ...(over && { over }) })
  }

  /** The guard did not end the tree in time, so everything with the mark is killed, the guard included. */
  async function giveUp(): Promise<void> {
    child.kill('SIGKILL')
    await endMarked(mark)
    child.stdout?.destroy()
    control.destroy()
  }
}

function spawnGuard(request: GuardedRequest, mark: string) {
  try {
    return spawn(perl, [guardFile, ...guardWords(request), '--', ...request.program], {
      cwd: request.cwd,
      // PERL_BADLANG keeps perl from complaining about locales the machine lacks; the guard removes the variable.
      env: { ...childEnvironment(request.env, request.declared), [MARK]: mark, PERL_BADLANG: '0' },
      // The guard has a process group of its own: Ctrl-C reaches only the server, and the server ends the tree.
      detached: true,
      stdio: [
        isReader(request) ? 'pipe' : 'ignore',
        'pipe',
        request.onErrors ? 'pipe' : 'ignore',
        'pipe',
        ...(request.descriptors ?? []),
      ],
    })
  } catch (error) {
    throw startError(error as Error, request.cwd)
  }
}

const isReader = ({ listens = false, input }: GuardedRequest): boolean => listens || input !== undefined

function guardWords({ descriptors = [], scoped = false, caps = commandCaps, onErrors }: GuardedRequest): string[] {
  const counted = capsHold ? [`processes=${caps.processes}`, `memory=${Math.floor(caps.memoryBytes / 1024)}`] : []
  const errors = onErrors ? ['errors=1'] : []
  return [`open=${descriptors.length}`, `scoped=${Number(scoped)}`, `file=${caps.fileBytes}`, ...errors, ...counted]
}

const nothing: Ended = { exitCode: null, signal: 'SIGKILL' }

function fromWait(status: number): Ended {
  const number = status & 127
  if (number === 0) return { exitCode: status >> 8, signal: null }
  const name = Object.entries(constants.signals).find(([, value]) => value === number)?.[0]
  return { exitCode: null, signal: name ?? String(number) }
}

function startError(error: Error & { code?: string }, cwd: string): StartError {
  if (error.code === 'ENOENT' && !existsSync(cwd)) return new StartError(`The folder ${cwd} does not exist any more.`)
  if (error.code === 'ENOENT')
    return new StartError('Commands need perl, which guards them, and it is not on the PATH: install perl.')
  if (error.code === 'E2BIG') return new StartError('The command is too long for the system: write it to a file first.')
  return new StartError(`The command could not be started: ${error.message}`)
}
