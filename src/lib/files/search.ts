import { Worker } from 'node:worker_threads'
import { slots } from '../slots.ts'

interface Common {
  /** A real path. */
  readonly root: string
  /** The folder to search, as names below the root. */
  readonly from: readonly string[]
  readonly includeIgnored: boolean
  readonly hidden: readonly string[]
  /** Lines at most. */
  readonly limit: number
  readonly limitMs: number
}

export type SearchRequest = Common &
  (
    | { readonly kind: 'list' }
    | { readonly kind: 'glob'; readonly pattern: string }
    | {
        readonly kind: 'grep'
        readonly pattern: string
        readonly ignoreCase: boolean
        readonly glob?: string
        /** Only this file, relative to the root. */
        readonly file?: string
      }
  )

export interface SearchEnd {
  readonly files: number
  readonly ignored: number
  /** Why the search did not look at everything. */
  readonly stopped?: 'limit' | 'time' | 'files'
}

export interface SearchResult extends SearchEnd {
  readonly lines: readonly string[]
}

export type SearchMessage = { readonly line: string } | { readonly end: SearchEnd } | { readonly error: string }

const WORKERS = 4
const inSlot = slots(WORKERS)

/** Searches in a thread of its own, which is killed when it takes too long. Rejects when the pattern cannot be used. */
export const search = (request: SearchRequest, signal: AbortSignal): Promise<SearchResult> =>
  inSlot(() => inWorker(request, signal))

async function inWorker(request: SearchRequest, signal: AbortSignal): Promise<SearchResult> {
  signal.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<SearchResult>()
  const lines: string[] = []
  const worker = new Worker(new URL('./search-worker.ts', import.meta.url), { workerData: request, env: {} })
  const timeout = setTimeout(() => resolve({ lines, files: 0, ignored: 0, stopped: 'time' }), request.limitMs)
  const onAbort = () => reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  worker.on('message', (message: SearchMessage) => {
    if ('line' in message) lines.push(message.line.toWellFormed())
    else if ('end' in message) resolve({ lines, ...message.end })
    else reject(new Error(message.error))
  })
  worker.on('error', reject)
  try {
    return await promise
  } finally {
    clearTimeout(timeout)
    signal.removeEventListener('abort', onAbort)
    await worker.terminate()
  }
}
