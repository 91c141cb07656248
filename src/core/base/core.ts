import type { RuntimeKind } from '../../contract/agents.ts'
import type { SessionId } from '../../contract/ids.ts'
import type { Message } from '../../contract/messages.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { Mask } from '../../lib/mask.ts'
import type { Sections } from '../../store/sections/sections.ts'
import type { Store } from '../../store/store.ts'
import type { CompactionRow, SessionRow } from '../../store/tables.ts'
import type { Bus } from './events.ts'
import type { Mcp } from './mcp.ts'
import type { Models } from './models.ts'
import type { Runtime } from './runtime.ts'
import type { Tool } from './tool.ts'
import type { ToolSource } from './tool-source.ts'

/** What the rules need of the world. app.ts builds it; nothing below knows how. */
export interface Core {
  readonly store: Store
  /** The index by which memory is searched. */
  readonly sections: Sections
  readonly clock: Clock
  readonly log: Log
  /** Hides secrets in text that is about to be written. Best effort. */
  readonly mask: Mask
  /** One line in the security log: what happened, where, and why. Bounded in rate by source (`where` unless told), without secrets. */
  readonly security: (what: string, where: string, reason: string, source?: string) => void
  /** The data folder, as a real path. */
  readonly home: string
  /** The project of requests that name none. */
  readonly project: Project
  /** This process. */
  readonly instance: string
  /** This data folder on this machine, as written into leases. */
  readonly host: string
  /** The process environment, read once by app.ts. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Values from command-line flags, the strongest settings. */
  readonly flags: Readonly<Record<string, unknown>>
  readonly bus: Bus
  readonly histories: HistoryCache
  /** The built-in ones, which every project has. */
  readonly tools: ReadonlyMap<string, Tool>
  /** Where further tools come from, in the order in which a name is looked for. */
  readonly toolSources: readonly ToolSource[]
  readonly mcp: Mcp
  /** Those of the runtime of models, for people who ask what there is. */
  readonly models: Models
  /** Each runtime, by the `runtime.kind` of the agents that it runs. */
  readonly runtimes: Readonly<Partial<Record<RuntimeKind, Runtime>>>
  /** A hint that the session's row changed: it may be lost, doubled or late. */
  wake(sessionId: SessionId): void
  /** A hint that a timer row was set for this moment. */
  alarm(due: number): void
  /** The token with which a child process of a session calls the API. */
  tokenOf(sessionId: SessionId): string
  /** Where the server listens, for programs of this machine. */
  url(): string
  /** The runner for which a tool writes: once its lease is lost, nothing is written through this core. */
  readonly runner?: Pick<Lease, 'sessionId' | 'fence'>
}

export interface Project {
  /** Derived from the real path, so the same folder is the same project after a restart. */
  readonly id: string
  readonly path: string
}

/** The log of one session as its model reads it, in memory: appended to, never changed in place. */
export interface History {
  /** Where a compaction summed up the beginning, the first one stands for it. */
  readonly messages: Message[]
  nextSeq: number
  version: number
  bytes: number
  /** How many bytes a model reads of it, about. */
  weight: number
  /** What the vendor counted at the newest answer, with all that stands around the messages, and the weight up to there. */
  counted: { readonly tokens: number; readonly weight: number } | undefined
  /** The one that counts. */
  readonly compaction: CompactionRow | undefined
  /** Its weight when a compaction that nobody asked for failed last. */
  failedAt?: number
}

/** Keeps the histories used last, bounded by bytes. The session's row tells whether a kept history is still the log. */
export interface HistoryCache {
  load(core: Core, session: SessionRow): Promise<History>
  forget(sessionId: SessionId): void
  readonly bytes: number
}

/** The right to write for one session until the fence is raised. */
export interface Lease {
  readonly sessionId: SessionId
  readonly fence: number
  /** Aborted when the lease is lost, the process drains, or a check is over. */
  readonly signal: AbortSignal
  /** The session is checked alone after a crash: once it has made something, it is laid down until all suspects are checked. */
  readonly alone?: boolean
}

export interface Engine {
  start(): Promise<void>
  wake(sessionId: SessionId): void
  alarm(due: number): void
  /** Stops taking work, checkpoints what runs, gives the leases back. */
  stop(): Promise<void>
  readonly running: number
}
