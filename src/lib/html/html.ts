import { Worker } from 'node:worker_threads'
import { slots } from '../slots.ts'

export interface HtmlRequest {
  readonly html: string
  /** Where the page is from; its links are completed with it. */
  readonly base: string
  readonly as: 'markdown' | 'text'
}

export interface HtmlText {
  readonly title: string
  readonly text: string
}

export type HtmlMessage = HtmlText | { readonly error: string }

const THREADS = 2
const LIMIT_MS = 10_000
const MEMORY_MB = 512
const inSlot = slots(THREADS)

/** Turns a page into text, in a thread of its own: a page can be made so that reading it takes for ever. */
export const readHtml = (request: HtmlRequest, signal: AbortSignal, limitMs = LIMIT_MS): Promise<HtmlText> =>
  inSlot(() => inThread(request, signal, limitMs))

async function inThread(request: HtmlRequest, signal: AbortSignal, limitMs: number): Promise<HtmlText> {
  signal.throwIfAborted()
  const { promise, resolve, reject } = Promise.withResolvers<HtmlText>()
  const worker = new Worker(new URL('./html-worker.ts', import.meta.url), {
    workerData: request,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  })
  const late = setTimeout(() => reject(new Error(`it takes longer than ${limitMs / 1000} s`)), limitMs)
  const onAbort = () => reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  worker.on('message', (message: HtmlMessage) => {
    if ('error' in message) reject(new Error(message.error))
    else resolve(message)
  })
  worker.on('error', reject)
  worker.on('exit', () => reject(new Error('the thread that read it ended')))
  try {
    return await promise
  } finally {
    clearTimeout(late)
    signal.removeEventListener('abort', onAbort)
    await worker.terminate()
  }
}
