import type { z } from 'zod'
import type { Agent, AgentFile } from '../../contract/agents.ts'
import type { Delta } from '../../contract/events.ts'
import type { SessionId } from '../../contract/ids.ts'
import type { FilePart, Message, Part, Tokens } from '../../contract/messages.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { Mask } from '../../lib/mask.ts'
import type { Box } from '../../lib/sandbox/sandbox.ts'
import type { Store } from '../../store/store.ts'
import type { SessionRow } from '../../store/tables.ts'
import type { Bus } from './events.ts'

/** What the rules need of the world. app.ts builds it; nothing below knows how. */
export interface Core {
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  /** Hides secrets in text that is about to be written. Best effort. */
  readonly mask: Mask
  /** One line in the security log: what happened, where, and why. Bounded in rate, without secrets. */
  readonly security: (what: string, where: string, reason: string) => void
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
  readonly tools: ReadonlyMap<string, Tool>
  readonly runtimes: Readonly<Record<string, Runtime>>
  /** A hint that the session's row changed: it may be lost, doubled or late. */
  wake(sessionId: SessionId): void
  /** A hint that a timer row was set for this moment. */
  alarm(due: number): void
  /** What a child process that acts for a session calls itself with. */
  tokenOf(sessionId: SessionId): string
  /** Where the server listens, for programs of this machine. */
  url(): string
  /** On whose behalf a tool writes: once that lease is lost, nothing is written through this core. */
  readonly runner?: Pick<Lease, 'sessionId' | 'fence'>
}

export interface Project {
  /** Derived from the real path, so the same folder is the same project after a restart. */
  readonly id: string
  readonly path: string
}

/** The log of one session in memory: appended to, never changed in place. */
export interface History {
  readonly messages: Message[]
  nextSeq: number
  version: number
  bytes: number
}

/** Keeps the histories used last, bounded by bytes; a row's counters tell whether what is kept is still the log. */
export interface HistoryCache {
  load(core: Core, session: SessionRow): Promise<History>
  forget(sessionId: SessionId): void
  readonly bytes: number
}

/** ---- tools ---------------------------------------------------------------------------------------------------- */

export interface Tool<Input = unknown> {
  readonly name: string
  readonly description: string
  readonly input: z.ZodType<Input>
  /** What it needs: `files.read`, `files.write`, `shell`, `net`, `human`, `todos`, … Scope and permission go by these. */
  readonly capabilities: readonly string[]
  /** How to use it well; becomes prompt text. */
  readonly guidance?: string
  /** May run beside the other calls of its step. */
  readonly parallel: boolean
  /** May be run again after a crash. */
  readonly idempotent: boolean
  /** Output beyond this is cut, with a note of how to get the rest. Tools that cut their own output keep below it. */
  readonly maxOutputChars: number
  /** The files a call would touch, judged by their real path before it runs. */
  touches?(input: Input): readonly Touch[]
  /** The command line a call would hand to a shell; it is taken apart and each command judged. */
  commandLine?(input: Input): string | undefined
  /** What else a rule's pattern is compared with (a host, an address); without it the input as JSON. */
  subjects?(input: Input): readonly Subject[]
  /** Whom a call writes to or reads: rules that name a session hold however it is addressed. */
  addresses?(input: Input): Address | undefined
  /** What of it is denied by default is granted by a rule that names the tool, without a pattern too. */
  readonly grantedByName?: boolean
  /** The tool whose rules grant what of it is denied by default, when that is not itself. */
  readonly permittedAs?: string
  /** What of it is denied until a rule grants it, and so is not shown to the model: fields, or the whole tool. */
  hides?(by: Granted): 'tool' | readonly string[]
  /** Returns a value (text, JSON, files) or parks; throws a sentence for the model. */
  run(input: Input, context: ToolContext): Promise<ToolOutput | Park>
}

export interface Touch {
  readonly path: string
  readonly access: 'read' | 'write'
}

export interface Address {
  readonly to: string
  /** Which session of an agent. */
  readonly session?: string | undefined
  /** The other tool whose rules about sessions mean it too. */
  readonly as?: string
}

export interface Subject {
  readonly text: string
  /** deny: only a rule that names it in a pattern grants it, not one for the tool as a whole. */
  readonly byDefault?: 'allow' | 'ask' | 'deny'
}

/** What the rules of a session let it do beyond the defaults. */
export interface Granted {
  permits(what: string): boolean
  /** A rule names the tool, as a whole or with any pattern. */
  readonly byName: boolean
  /** The session has this tool. */
  has(tool: string): boolean
}

export interface ToolContext {
  readonly core: Core
  readonly callId: string
  readonly sessionId: SessionId
  readonly agent: Agent
  /** The agent's definition as it counts in the session's mode. */
  readonly definition: AgentFile
  readonly project: Project
  /** What the turn goes back to; all it causes carries this chain, one hop further. */
  readonly chain: Chain
  /** When the turn's time is up. */
  readonly deadline: number
  /** Whether a rule grants what is denied by default, by its name: `session:<id>`, `topLevel`, `interrupt`. */
  permits(what: string): boolean
  /** The folder its files and commands live in, as a real path. */
  readonly workspace: string
  /** Paths outside the workspace that this call was permitted to touch, as they really are. */
  readonly reach: readonly Touch[]
  /** How its commands are shut in. */
  readonly sandbox: Sandbox
  /** Aborted on cancel, interrupt, shutdown and loss of the lease; `signal.reason` is a sentence. */
  readonly signal: AbortSignal
  /** Live output beside the log; what must last is returned. */
  output(text: string): void
}

export interface Chain {
  readonly id: string
  readonly hops: number
}

export interface ToolOutput {
  /** Text or JSON for the model. */
  readonly output: unknown
  readonly files?: readonly FilePart[]
  readonly error?: boolean
  /** Spent by others on this result, and their tokens whose price nobody knows. */
  readonly costUsd?: number
  readonly unpricedTokens?: number
}

/** The call waits for something outside: it becomes a row, and the turn holds no slot meanwhile. */
export type Park =
  | { readonly park: 'question'; readonly question: string; readonly options?: readonly string[] }
  | { readonly park: 'timer'; readonly until: number; readonly result: string }
  /** For the answer to a question that is in another session's mailbox. */
  | { readonly park: 'ask'; readonly mailId: string; readonly until: number; readonly created: boolean }
  /** For the tasks that this call subscribed to. */
  | {
      readonly park: 'spawn' | 'tasks'
      readonly taskIds: readonly string[]
      readonly need: 'all' | 'any'
      readonly until: number
      /** `until` is the longest that any wait may take: in a task it ends the task, not the call. */
      readonly longest?: boolean
    }
  | { readonly park: 'approval'; readonly because: string; readonly asked: Asked }

/** What an approval is about; kept with the call until it is answered. */
export interface Asked {
  readonly changesRights: boolean
  /** The digest of exactly this call. */
  readonly bound: string
  /** The rules that "always" writes, and "for this session" keeps for that session. */
  readonly always: readonly string[]
}

/** How a command is shut in: a box, or why it must not run at all. */
export type Sandbox = Box | { readonly unavailable: string }

/** ---- runtimes ------------------------------------------------------------------------------------------------- */

/** Makes one step of a turn: history in, an assistant message out. Failures are part of the result, never thrown. */
export interface Runtime {
  step(request: StepRequest): Promise<StepResult>
  /** What could be named as `provider/model` in this project, and why not where it cannot be used. */
  models(project: Project): Promise<ModelInfo[]>
  /** What is used where nobody chose: the first usable provider's, else the demo. */
  defaultModel(project: Project): Promise<string>
  /** Where a request may go, for a chain of models: every account of the first, then of the next. */
  candidates(project: Project, models: readonly string[]): Promise<Candidates>
  /** The credentials of the project's providers; never a key or part of one. */
  accounts(project: Project): Promise<AccountInfo[]>
  /** How many tokens a model reads at once, where that is known without asking anyone. */
  contextWindow(project: Project, model: string): Promise<number | undefined>
  /** Whether it is known what a request there costs, or the vendor says so with its answer. */
  hasPrice(project: Project, candidate: Candidate): Promise<boolean>
  /** Fetches the newest prices and windows, because a person asked for it. */
  updateCatalogue(): Promise<{ readonly models: number; readonly from: string }>
}

export interface Candidates {
  /** In the order they are tried; accounts known to be exhausted come last. */
  readonly usable: readonly Candidate[]
  /** Models that cannot be tried at all. */
  readonly left: readonly { readonly model: string; readonly reason: string; readonly end?: 'limit' }[]
}

export interface Candidate {
  readonly model: string
  readonly account: string
}

export interface AccountInfo {
  readonly provider: string
  readonly name: string
  readonly usable: boolean
  /** Why not, or why it is not used now. */
  readonly reason?: string
  /** Not used before this moment while another can be. */
  readonly exhaustedUntil?: number
  /** Requests that wait for it. */
  readonly waiting: number
}

export interface ModelInfo {
  readonly name: string
  readonly provider: string
  readonly usable: boolean
  /** Why not, and what to do about it. */
  readonly reason?: string
  readonly contextWindow?: number
  readonly isDefault?: boolean
}

export interface StepRequest {
  readonly sessionId: SessionId
  readonly project: Project
  /** `provider/model` */
  readonly model: string
  /** Which of the provider's accounts; the first usable one unless told. */
  readonly account?: string
  /** The frozen system prompt. */
  readonly system: string
  /** Append-only and shared between steps: never changed in place, so a runtime may cache by message. */
  readonly history: readonly Message[]
  readonly tools: readonly ToolSchema[]
  readonly maxOutputTokens?: number
  readonly temperature?: number
  readonly reasoning?: string
  readonly signal: AbortSignal
  onDelta(kind: Delta['kind'], text: string): void
}

export interface ToolSchema {
  readonly name: string
  readonly description: string
  /** JSON Schema of the input. */
  readonly inputSchema: Record<string, unknown>
}

export interface StepResult {
  /** Complete parts only. When aborted or cut: the text so far; unfinished calls and unsigned reasoning are dropped. */
  readonly parts: readonly Part[]
  readonly tokens: Tokens
  readonly costUsd?: number
  readonly finish: 'stop' | 'tool-calls' | 'length' | 'refused' | 'aborted' | 'error'
  readonly error?: ModelError
}

/** retry: the same request may succeed later. switch: another account or model may. The rest need a person. */
export interface ModelError {
  readonly kind: 'retry' | 'switch' | 'auth' | 'context' | 'refused' | 'bad-request'
  /** One sentence a person understands, without secrets. */
  readonly message: string
  readonly retryAfterMs?: number
}

/** ---- engine --------------------------------------------------------------------------------------------------- */

/** The right to write for one session until the fence is raised. */
export interface Lease {
  readonly sessionId: SessionId
  readonly fence: number
  /** Aborted when the lease is lost or the process drains. */
  readonly signal: AbortSignal
}

export interface Engine {
  start(): Promise<void>
  wake(sessionId: SessionId): void
  alarm(due: number): void
  /** Stops taking work, checkpoints what runs, gives the leases back. */
  stop(): Promise<void>
  readonly running: number
}
