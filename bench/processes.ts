import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

const LIMIT_MS = 150_000

/** Runs a Node process that is given one JSON value and answers with one JSON line. */
export async function ask<R>(
  file: string,
  question: unknown,
  nodeFlags: readonly string[] = [],
  limitMs = LIMIT_MS,
): Promise<R> {
  const child = start(file, [JSON.stringify(question)], nodeFlags)
  const timer = setTimeout(() => child.kill('SIGKILL'), limitMs)
  try {
    const line = firstLine(child)
    const code = await exitOf(child)
    const answer = await line
    if (code !== 0 || answer === undefined) throw new Error(`${file} ended with ${code}; what it said is above.`)
    return JSON.parse(answer) as R
  } finally {
    clearTimeout(timer)
  }
}

export interface Serving {
  readonly pid: number
  /** What it said when it was ready. */
  readonly line: string
  /** The next line it says; callers wait for one line after the other. */
  next(): Promise<string>
  /** One line to its standard input. */
  tell(line: string): void
  /** kill -9. */
  kill(): Promise<void>
  stop(): Promise<void>
}

/** Starts a Node process that says with one line that it is ready, and stays until it is stopped. */
export async function serve(
  file: string,
  args: readonly string[],
  nodeFlags: readonly string[] = [],
): Promise<Serving> {
  const child = start(file, args, nodeFlags)
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]()
  const next = async (): Promise<string> => {
    // A process that says nothing is killed, which also ends the waiting.
    const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS)
    const { value, done } = await lines.next()
    clearTimeout(timer)
    if (done) throw new Error(`${file} ended before it answered; what it said is above.`)
    return value
  }
  return {
    line: await next(),
    pid: child.pid!,
    next,
    tell: (line) => void child.stdin!.write(`${line}\n`),
    async kill() {
      const gone = exitOf(child)
      child.kill('SIGKILL')
      await gone
    },
    async stop() {
      const gone = exitOf(child)
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), 5000)
      await gone
      clearTimeout(timer)
    },
  }
}

function start(file: string, args: readonly string[], nodeFlags: readonly string[]): ChildProcess {
  return spawn(process.execPath, [...nodeFlags, file, ...args], { stdio: ['pipe', 'pipe', 'inherit'] })
}

async function firstLine(child: ChildProcess): Promise<string | undefined> {
  for await (const line of createInterface({ input: child.stdout! })) return line
  return undefined
}

function exitOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', resolve)
  })
}
