import { Worker } from 'node:worker_threads'
import { AppError } from '../../contract/errors.ts'
import type { SectionHit } from './find.ts'
import type { SearchFolder } from './follow.ts'
import type { Unembedded } from './vectors.ts'

export type { SearchFolder, SectionHit }

/** What the thread is asked. */
export type SectionQuestion =
  | { readonly ask: 'text'; readonly folders: readonly SearchFolder[]; readonly query: string; readonly limit: number }
  | {
      readonly ask: 'missing'
      readonly folders: readonly SearchFolder[]
      readonly model: string
      readonly limit: number
    }
  | {
      readonly ask: 'nearest'
      readonly folders: readonly SearchFolder[]
      readonly model: string
      readonly vector: Float32Array
      readonly query: string
      readonly limit: number
    }
  | {
      readonly ask: 'keep'
      readonly model: string
      readonly items: readonly { readonly digest: string; readonly vector: Float32Array }[]
    }

export interface SectionAnswer {
  readonly hits: readonly SectionHit[]
  readonly missing: readonly Unembedded[]
  /** Files that are not in the index yet, because there are too many to read at once. */
  readonly behind: number
}

/** An index of the sections of Markdown files, in a file of its own whatever the store is. It is a cache. */
export interface Sections {
  ask(question: SectionQuestion): Promise<SectionAnswer>
  close(): Promise<void>
}

const ANSWER_MS = 20_000
const WAITING = 64
/** An idle thread costs memory. */
const IDLE_MS = 60_000

/** Answers in a thread, which starts when it is first needed: neither reading files nor SQLite holds up anybody else. */
export function openSections(file: string): Sections {
  let thread: Thread | undefined
  let waiting = 0
  let idle: NodeJS.Timeout | undefined
  const end = async (reason: string): Promise<void> => {
    const last = thread
    thread = undefined
    await last?.end(new Error(reason))
  }

  /** A thread that ended by itself is not asked again. */
  const begin = (): Thread => {
    const started = startThread(file, () => {
      if (thread === started) thread = undefined
    })
    return started
  }

  return {
    async ask(question) {
      if (waiting >= WAITING)
        throw new AppError('memory.busy', `${WAITING} searches of memory wait already.`, {
          hint: 'Try again when they are done.',
        })
      waiting += 1
      clearTimeout(idle)
      thread ??= begin()
      const late = setTimeout(() => void end('it took too long'), ANSWER_MS)
      try {
        return await thread.ask(question)
      } catch (error) {
        throw failed(error)
      } finally {
        clearTimeout(late)
        waiting -= 1
        idle = setTimeout(() => void end('it was idle'), IDLE_MS).unref()
      }
    },
    async close() {
      clearTimeout(idle)
      await end('the server shuts down')
    },
  }
}

interface Thread {
  ask(question: SectionQuestion): Promise<SectionAnswer>
  end(reason: Error): Promise<void>
}

type Told = { readonly id: number } & ({ readonly answer: SectionAnswer } | { readonly error: string })

function startThread(file: string, ended: () => void): Thread {
  const worker = new Worker(new URL('./thread.ts', import.meta.url), { workerData: file, env: {} })
  worker.unref()
  const open = new Map<number, PromiseWithResolvers<SectionAnswer>>()
  let last = 0
  let broken: Error | undefined
  const fail = (reason: Error): void => {
    broken ??= reason
    for (const { reject } of open.values()) reject(broken)
    open.clear()
  }
  worker.on('message', (told: Told) => {
    const asked = open.get(told.id)
    open.delete(told.id)
    if ('answer' in told) asked?.resolve(told.answer)
    else asked?.reject(new Error(told.error))
  })
  worker.on('error', fail)
  worker.on('exit', () => {
    fail(new Error('its thread has ended'))
    ended()
  })
  return {
    ask(question) {
      if (broken !== undefined) return Promise.reject(broken)
      const asked = Promise.withResolvers<SectionAnswer>()
      open.set(++last, asked)
      worker.postMessage({ id: last, question })
      return asked.promise
    },
    async end(reason) {
      fail(reason)
      await worker.terminate()
    },
  }
}

const failed = (error: unknown): AppError =>
  new AppError(
    'memory.busy',
    `The search of memory failed: ${error instanceof Error ? error.message : String(error)}.`,
    {
      hint: 'Try again; if it stays so, remove index.db from the data folder: it is made anew.',
      cause: error,
    },
  )
