import type { Dialogue } from '../../lib/process/dialogue.ts'

/** The processes of custom tools: one call at a time in each, kept for the next call, ended when nobody needs them. */

interface Child {
  /** The tool's folder. */
  readonly tool: string
  /** Which content of the folder it was started with. */
  readonly version: string
  /** For whom it works and how it is shut in: only the same can be asked again. */
  readonly key: string
  readonly dialogue: Dialogue
  busy: boolean
  idle: NodeJS.Timeout | undefined
}

interface Wanted {
  readonly tool: string
  readonly version: string
  readonly key: string
  readonly signal: AbortSignal
  start(): Promise<Dialogue>
}

export interface Children {
  /** Lends a process for one call; `drop` keeps it from being asked again. Rejects when too many wait for one already. */
  use<T>(wanted: Wanted, work: (dialogue: Dialogue, drop: () => void) => Promise<T>): Promise<T>
  close(): Promise<void>
}

const EACH = 4
const ALL = 24
const WAITING = 50
const IDLE_MS = 60_000

export function createChildren(idleMs = IDLE_MS): Children {
  const children = new Set<Child>()
  /** Places that are taken by processes that are about to start. */
  const starting: Wanted[] = []
  const waiting: (() => void)[] = []

  async function place(wanted: Wanted): Promise<Child | undefined> {
    for (;;) {
      wanted.signal.throwIfAborted()
      const idle = [...children].find((one) => isFor(wanted, one) && !one.busy)
      if (idle) return idle
      const own = [...children, ...starting].filter(({ tool }) => tool === wanted.tool).length
      const all = children.size + starting.length
      if (own < EACH && all < ALL) return undefined
      const unused = [...children].find((one) => !one.busy && (own < EACH || one.tool === wanted.tool))
      if (unused) remove(unused)
      else await turn(wanted.signal)
    }
  }

  function turn(signal: AbortSignal): Promise<void> {
    if (waiting.length >= WAITING)
      throw new Error(`${WAITING} calls of custom tools wait already; try again later, or make fewer at once.`)
    return new Promise((resolve) => {
      const go = () => {
        signal.removeEventListener('abort', go)
        const at = waiting.indexOf(go)
        if (at >= 0) waiting.splice(at, 1)
        resolve()
      }
      signal.addEventListener('abort', go, { once: true })
      waiting.push(go)
    })
  }

  async function begin(wanted: Wanted): Promise<Child> {
    starting.push(wanted)
    try {
      const child: Child = { ...wanted, dialogue: await wanted.start(), busy: true, idle: undefined }
      children.add(child)
      child.dialogue.ended.catch(() => {}).finally(() => forget(child))
      return child
    } finally {
      starting.splice(starting.indexOf(wanted), 1)
    }
  }

  function remove(child: Child): void {
    if (children.has(child)) child.dialogue.end()
    forget(child)
  }

  function forget(child: Child): void {
    clearTimeout(child.idle)
    children.delete(child)
    for (const next of waiting.splice(0)) next()
  }

  return {
    async use(wanted, work) {
      const child = (await place(wanted)) ?? (await begin(wanted))
      child.busy = true
      clearTimeout(child.idle)
      try {
        return await work(child.dialogue, () => remove(child))
      } finally {
        child.busy = false
        if (children.has(child)) child.idle = setTimeout(() => remove(child), idleMs).unref()
        // What was made of an older version of the tool is asked nothing more.
        for (const one of children)
          if (one.tool === child.tool && one.version !== child.version && !one.busy) remove(one)
        for (const next of waiting.splice(0)) next()
      }
    },
    async close() {
      const ending = [...children].map(({ dialogue }) => dialogue.ended.catch(() => {}))
      for (const child of children) remove(child)
      await Promise.all(ending)
    },
  }
}

const isFor = (wanted: Wanted, child: Child): boolean =>
  child.tool === wanted.tool && child.version === wanted.version && child.key === wanted.key
