import { Worker } from 'node:worker_threads'

/**
 * Checks values against JSON Schemas that somebody else wrote. A pattern or a nest of references can take for ever, so it
 * is done in a thread that is killed when it takes too long.
 */

export interface CheckRequest {
  readonly schema: object
  readonly value: unknown
}

export type CheckMessage = { readonly problems: readonly string[] } | { readonly error: string }

const LIMIT_MS = 2000
const IDLE_MS = 10_000
const WAITING = 200

interface Thread {
  readonly worker: Worker
  /** It has read its own code; until then it is slow for no fault of a schema. */
  readonly ready: Promise<unknown>
}

let thread: Thread | undefined
let idle: NodeJS.Timeout | undefined
let last: Promise<unknown> = Promise.resolve()
let waiting = 0

/** What does not fit, each with the field; empty when all fits. Rejects when the schema cannot be used. */
export async function checkJson(request: CheckRequest, limitMs = LIMIT_MS): Promise<readonly string[]> {
  if (waiting >= WAITING) throw new Error('too many inputs are being checked; try again')
  waiting += 1
  const mine = last.then(() => inThread(request, limitMs))
  last = mine.catch(() => {})
  try {
    return await mine
  } finally {
    waiting -= 1
  }
}

async function inThread(request: CheckRequest, limitMs: number): Promise<readonly string[]> {
  clearTimeout(idle)
  thread ??= begin()
  const at = thread
  const { promise, resolve, reject } = Promise.withResolvers<CheckMessage>()
  let timeout: NodeJS.Timeout | undefined
  try {
    await at.ready
    timeout = setTimeout(() => reject(new Error(`the check took longer than ${limitMs / 1000} s`)), limitMs)
    at.worker.on('message', resolve).on('error', reject)
    at.worker.postMessage(request)
    const message = await promise
    if ('error' in message) throw new Error(message.error)
    return message.problems
  } catch (error) {
    end(at)
    throw error
  } finally {
    clearTimeout(timeout)
    at.worker.off('message', resolve).off('error', reject)
    idle = setTimeout(() => end(at), IDLE_MS).unref()
  }
}

function begin(): Thread {
  const worker = new Worker(new URL('./check-worker.ts', import.meta.url), { env: {} })
  worker.unref()
  // Without a listener an error between two checks would stop the process.
  worker.on('error', () => {})
  const ready = new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject))
  return { worker, ready }
}

function end(old: Thread): void {
  if (thread === old) thread = undefined
  void old.worker.terminate()
}
