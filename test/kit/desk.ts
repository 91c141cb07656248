import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { inject } from 'vitest'
import type { ServerFile } from '../../src/contract/api.ts'
import { newFolder, putFile } from './files.ts'

/** The program as it is published. */
export const bin = inject('program')
/** The program, run from its sources. */
export const sourceBin = fileURLToPath(new URL('../../bin/troupe.mjs', import.meta.url))

export interface Ran {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

interface Running {
  readonly child: ChildProcess
  readonly done: Promise<Ran>
  /** Resolves when the program has printed this, on either stream. */
  said(text: string): Promise<void>
}

export interface Desk {
  readonly home: string
  readonly project: string
  run(...words: string[]): Promise<Ran>
  /** The same with something piped in. */
  pipe(input: string, ...words: string[]): Promise<Ran>
  /** The result of a command that has to succeed, read as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: results are looked into field by field
  json(...words: string[]): Promise<any>
  start(words: readonly string[], more?: { env?: Record<string, string>; node?: readonly string[] }): Running
  server(): ServerFile | undefined
  put(path: string, content: unknown): string
  close(): Promise<void>
}

const COMMAND_MS = 50_000

/** A person at a terminal without a screen: a data folder, a project, and the real program run as a process. */
export function openDesk(program = bin): Desk {
  const root = newFolder()
  const home = join(root, 'home')
  const project = join(root, 'project')
  mkdirSync(join(project, '.troupe'), { recursive: true })
  const running = new Set<ChildProcess>()

  const start: Desk['start'] = (words, more = {}) => {
    const env = {
      PATH: process.env.PATH,
      HOME: root,
      TROUPE_HOME: home,
      TROUPE_PORT: '0',
      TROUPE_DEMO_DELAY_MS: '0',
      ...more.env,
    }
    const child = spawn(process.execPath, [...(more.node ?? []), program, ...words], { cwd: project, env })
    running.add(child)
    return watch(child, () => running.delete(child))
  }
  const pipe: Desk['pipe'] = (input, ...words) => {
    const { child, done } = start(words)
    child.stdin?.end(input)
    return done
  }
  const server: Desk['server'] = () => {
    try {
      return JSON.parse(readFileSync(join(home, 'server.json'), 'utf8')) as ServerFile
    } catch {
      return undefined
    }
  }

  return {
    home,
    project,
    start,
    pipe,
    server,
    run: (...words) => pipe('', ...words),
    async json(...words) {
      const { code, out, err } = await pipe('', ...words, '--json')
      if (code !== 0) throw new Error(`troupe ${words.join(' ')} ended with ${code}: ${err}`)
      return JSON.parse(out)
    },
    put: (path, content) => putFile(join(project, path), content),
    async close() {
      for (const child of running) child.kill('SIGKILL')
      const pid = server()?.pid
      if (pid !== undefined && isAlive(pid)) {
        process.kill(pid, 'SIGKILL')
        await gone(pid)
      }
      rmSync(root, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

const GONE_MS = 20_000
const LOOK_MS = 20

/** Waits for the end of a process that is not our child, by looking again and again: it reports to nobody here. */
export async function gone(pid: number): Promise<void> {
  for (let looked = 0; looked < GONE_MS; looked += LOOK_MS) {
    if (!isAlive(pid)) return
    await pause(LOOK_MS)
  }
  throw new Error(`Process ${pid} still runs.`)
}

function watch(child: ChildProcess, ended: () => void): Running {
  let out = ''
  let err = ''
  const waiting = new Set<() => void>()
  const look = (): void => {
    for (const check of waiting) check()
  }
  child.stdout?.on('data', (chunk) => {
    out += chunk
    look()
  })
  child.stderr?.on('data', (chunk) => {
    err += chunk
    look()
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), COMMAND_MS)
  const done = new Promise<Ran>((resolve) => {
    child.on('close', (code) => {
      clearTimeout(timer)
      ended()
      resolve({ code, out, err })
    })
  })
  return {
    child,
    done,
    said: (text) =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          if (!out.includes(text) && !err.includes(text)) return
          waiting.delete(check)
          resolve()
        }
        waiting.add(check)
        void done.then(() => reject(new Error(`It ended without saying "${text}": ${out}${err}`)))
        check()
      }),
  }
}
