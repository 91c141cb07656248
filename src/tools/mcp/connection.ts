import { setTimeout as delay } from 'node:timers/promises'
import type { Client, ClientOptions, Transport } from '@modelcontextprotocol/client'
import type { McpState } from '../../contract/mcp.ts'
import { version } from '../../core/base/index.ts'
import type { Clock } from '../../lib/clock.ts'
import { isGone, wantsLogin, whyFailed } from './failures.ts'
import { withFewPages } from './pages.ts'

const FIRST_WAIT_MS = 1000
const LONGEST_WAIT_MS = 300_000
/** A call waits this long for the next try; a longer pause is told instead. */
const PATIENCE_MS = 5000
const RELIST_MS = 5000

/** It cannot be reached now; nothing was sent to it. */
export class Unreachable extends Error {}

interface ConnectionParts {
  readonly clock: Clock
  readonly startMs: number
  readonly idleMs: number
  open(): Promise<Transport>
  /** It is connected, or says that it has something else than before. */
  listed(client: Client): Promise<void>
  /** Connecting failed. */
  down(why: string): void
}

export interface Connection {
  /** Works with the connected client; connects first where that is needed. */
  use<T>(signal: AbortSignal, work: (client: Client) => Promise<T>): Promise<T>
  state(): { readonly state: McpState; readonly reason?: string; readonly retryAt?: number }
  /** The next use tries at once. */
  forgive(): void
  /** Why it ended, when its program did. */
  ended(why: string): void
  readonly busy: number
  readonly usedAt: number
  close(): Promise<void>
}

type Validator = NonNullable<ClientOptions['jsonSchemaValidator']>

/** One connection to one server: made when it is needed, given up when nobody uses it, made again with growing pauses. */
export function createConnection(parts: ConnectionParts): Connection {
  const { clock } = parts
  let current: Client | undefined
  let connecting: Promise<Client> | undefined
  let idle: NodeJS.Timeout | undefined
  let opening: Transport | undefined
  const closing = new AbortController()
  const closed = (): boolean => closing.signal.aborted
  let failures = 0
  let retryAt = 0
  let reason: string | undefined
  let login = false
  let busy = 0
  let usedAt = clock.now()

  function failed(why: string): void {
    failures += 1
    reason = why
    retryAt = clock.now() + Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (failures - 1))
  }

  async function connect(): Promise<Client> {
    const pause = retryAt - clock.now()
    if (pause > PATIENCE_MS)
      throw new Unreachable(`${reason ?? 'it is down'}; it is tried again in ${Math.ceil(pause / 1000)} s`)
    if (pause > 0) await delay(pause, undefined, { signal: closing.signal }).catch(() => {})
    if (closed()) throw new Unreachable('it was closed')
    try {
      const client = await greeted()
      current = client
      reason = undefined
      login = false
      return client
    } catch (error) {
      login = wantsLogin(error)
      // What its program said when it ended tells more than that the connection broke off.
      failed((isGone(error) && reason) || whyFailed(error))
      if (!closed()) parts.down(reason ?? '')
      throw new Unreachable(reason, { cause: error })
    }
  }

  async function greeted(): Promise<Client> {
    reason = undefined
    const { Client } = await import('@modelcontextprotocol/client')
    const client = withFewPages(new Client({ name: 'troupe', version }, { jsonSchemaValidator: unchecked }))
    const transport = await parts.open()
    opening = transport
    client.onclose = () => gone(client)
    client.onerror = () => {}
    let wanted = 0
    /** What it has is read at once, and then at most so often, however often it says that it changed. */
    const relist = async (): Promise<void> => {
      wanted += 1
      if (wanted > 1) return
      for (let read = 0; read < wanted; ) {
        read = wanted
        await parts.listed(client).catch(() => {})
        await delay(RELIST_MS, undefined, { signal: closing.signal, ref: false }).catch(() => {})
      }
      wanted = 0
    }
    for (const what of ['tools', 'prompts'] as const)
      client.setNotificationHandler(`notifications/${what}/list_changed`, relist)
    try {
      if (closed()) throw new Unreachable('it was closed')
      await client.connect(transport, { timeout: parts.startMs })
      await parts.listed(client)
      return client
    } catch (error) {
      await client.close().catch(() => {})
      await transport.close().catch(() => {})
      throw error
    } finally {
      opening = undefined
    }
  }

  function gone(client: Client): void {
    if (current !== client) return
    current = undefined
    if (!closed()) failed(reason ?? 'it broke off')
  }

  async function drop(): Promise<void> {
    const client = current
    current = undefined
    await client?.close().catch(() => {})
  }

  function rest(): void {
    clearTimeout(idle)
    if (busy === 0 && !closed()) idle = setTimeout(() => void drop(), parts.idleMs).unref()
  }

  async function ready(signal: AbortSignal): Promise<Client> {
    signal.throwIfAborted()
    if (current) return current
    connecting ??= connect().finally(() => {
      connecting = undefined
    })
    return unlessAborted(connecting, signal)
  }

  return {
    async use(signal, work) {
      busy += 1
      usedAt = clock.now()
      clearTimeout(idle)
      try {
        const client = await ready(signal)
        try {
          const value = await work(client)
          failures = 0
          return value
        } catch (error) {
          // A server elsewhere that no longer knows us, or is gone, has to be greeted anew.
          if (isGone(error) && current === client) await drop()
          throw error
        }
      } finally {
        busy -= 1
        rest()
      }
    },
    state() {
      if (current) return { state: 'running' }
      if (connecting) return { state: 'starting' }
      if (reason === undefined) return { state: 'idle' }
      return { state: login ? 'login' : 'down', reason, ...(retryAt > clock.now() && { retryAt }) }
    },
    forgive() {
      retryAt = 0
    },
    ended(why) {
      if (current || connecting) reason = why
    },
    get busy() {
      return busy
    },
    get usedAt() {
      return usedAt
    },
    async close() {
      closing.abort()
      clearTimeout(idle)
      await opening?.close().catch(() => {})
      await connecting?.catch(() => {})
      await drop()
    },
  }
}

/** What a tool says of its own result is not checked: a schema of a stranger may take for ever, and nothing relies on it. */
const unchecked: Validator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
}

function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const abort = (): void => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  return Promise.race([promise, aborted.promise]).finally(() => signal.removeEventListener('abort', abort))
}
