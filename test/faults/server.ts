import { spawn } from 'node:child_process'

const OUTPUT_CHARS = 20_000

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** The end of what it said on its error output. */
  readonly stderr: string
}

export interface Address {
  readonly url: string
  readonly token: string
  readonly pid: number
}

/** A server in a process of its own, started the way a person starts it. */
export interface Launched {
  readonly pid: number
  /** Undefined when it ended before it was ready. */
  readonly ready: Promise<Address | undefined>
  readonly exited: Promise<Exit>
  signal(signal: NodeJS.Signals): void
}

/** `within` is a command that runs the one behind it, such as one that gives it a small disk. */
export function launch(
  troupe: string,
  project: string,
  env: Record<string, string>,
  within: readonly string[] = [],
): Launched {
  // Less is collected while it starts, which takes a sixth off the work of a start.
  const node = [process.execPath, '--min-semi-space-size=32']
  const words = [...within, ...node, troupe, '--project', project, 'up', '--json', '--port', '0']
  const child = spawn(words[0]!, words.slice(1), {
    cwd: project,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ready = Promise.withResolvers<Address | undefined>()
  const exited = Promise.withResolvers<Exit>()
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout = (stdout + text).slice(-OUTPUT_CHARS)
    if (stdout.includes('\n')) ready.resolve(JSON.parse(stdout.slice(0, stdout.indexOf('\n'))) as Address)
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-OUTPUT_CHARS)
  })
  child.on('error', exited.reject)
  child.on('close', (code, signal) => {
    ready.resolve(undefined)
    exited.resolve({ code, signal, stderr })
  })
  return {
    pid: child.pid!,
    ready: ready.promise,
    exited: exited.promise,
    signal: (signal) => void child.kill(signal),
  }
}
