import type { z } from 'zod'
import type { Agent, AgentFile } from '../../contract/agents.ts'
import type { WaitKind } from '../../contract/calls.ts'
import type { SessionId } from '../../contract/ids.ts'
import type { FilePart } from '../../contract/messages.ts'
import type { ToolSourceName } from '../../contract/tools.ts'
import type { Box } from '../../lib/sandbox/sandbox.ts'
import type { Core, Project } from './core.ts'

export interface Tool<Input = unknown> {
  readonly name: string
  readonly description: string
  readonly input: z.ZodType<Input> | JsonInput
  /** What it needs: `files.read`, `files.write`, `shell`, `net`, `human`, `todos`, … Scope and permission go by these. */
  readonly capabilities: readonly string[]
  /** How to use it well; becomes prompt text where the tool is loaded. */
  readonly guidance?: string
  /** Seldom needed: it is listed by name, with these few words where the name needs any, and `tool_search` loads its schema. */
  readonly rare?: true | string
  /** Where it comes from; built-in tools have none. */
  readonly origin?: ToolOrigin
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
  /** What a rule's pattern is compared with, such as a host; for a tool without this it is the input as JSON. */
  subjects?(input: Input): readonly Subject[]
  /** Whom a call writes to or reads. A rule that names a session holds however the call addresses it. */
  addresses?(input: Input): Address | undefined
  /** A call starts a program, which is shut in like a command. */
  readonly startsProgram?: true
  /** Every session has it, whatever `tools.allow` says, unless it is denied by name. */
  readonly forEveryone?: true
  /** Files of the project that it reaches in a way of its own: whatever a rule denies or asks for of them holds for it too. */
  files?(input: Input, agent: string | undefined): readonly Touch[]
  /** A rule that names the tool, even without a pattern, grants what is denied by default. */
  readonly grantedByName?: boolean
  /** What a call does that is the work of another tool: rules for that tool hold for it too. */
  implies?(input: Input, agent: string | undefined): readonly Implied[]
  /** Another tool whose rules hold for this one too. Where this tool is denied by default, only those rules grant it. */
  readonly permittedAs?: string
  /** Another name by which rules and scopes mean this tool, such as `mcp:server.tool`; "always" writes this one. */
  readonly ruleName?: string
  /** Changes with what it says of itself; an approval holds for the tool as it was. */
  readonly version?: string
  /** Why a person is asked for it whatever rules allow: it is not what was approved. */
  unapproved?(): string | undefined
  /** It sends mail: to tell something, or to ask and wait. What a session's child process sends is judged as a call of it. */
  readonly sends?: 'news' | 'questions'
  /** What the model is not shown because no rule grants it: fields, or the whole tool. */
  hides?(by: Granted): 'tool' | readonly string[]
  /** Returns a value (text, JSON, files) or parks; throws a sentence for the model. */
  run(input: Input, context: ToolContext): Promise<ToolOutput | Park>
}

/** An input that is described by a JSON Schema of type `object`; it is checked before the call, like any other. */
interface JsonInput {
  readonly jsonSchema: Readonly<Record<string, unknown>>
}

interface ToolOrigin {
  readonly source: ToolSourceName
  /** The folder, server or client, for people. */
  readonly place: string
  /** What its tools are listed under when there are too many to name: the server or client. */
  readonly group?: string
}

export interface Touch {
  readonly path: string
  readonly access: 'read' | 'write'
}

interface Address {
  readonly to: string
  /** Which session of an agent. */
  readonly session?: string | undefined
  /** Another tool whose rules about sessions hold for this call too. */
  readonly as?: string
}

export interface Subject {
  readonly text: string
  /** deny: only a rule that names it in a pattern grants it, not one for the tool as a whole. */
  readonly byDefault?: 'allow' | 'ask' | 'deny'
  /** Why it is denied by default, for whoever reads the refusal. */
  readonly why?: string
}

/** A call of another tool, as a rule's pattern for that tool would see it. */
interface Implied {
  readonly tool: string
  readonly text: string
}

/** What the rules of a session let it do beyond the defaults. */
interface Granted {
  permits(what: string): boolean
  /** A rule names the tool, as a whole or with any pattern. */
  readonly byName: boolean
  /** The session has this tool. */
  has(tool: string): boolean
}

/** The files of a run for one of its members; all real paths. */
export interface RunPlace {
  /** The folder of all runs of the project. */
  readonly runs: string
  readonly root: string
  /** Undefined for the coordinator. */
  readonly worker: string | undefined
  /** The node that the worker works on. */
  readonly node: string | undefined
  /** Where its commands begin, if not in the workspace. */
  readonly folder: string | undefined
}

export interface ToolContext {
  readonly core: Core
  readonly callId: string
  readonly sessionId: SessionId
  readonly agent: Agent
  /** The agent's definition as it counts in the session's mode. */
  readonly definition: AgentFile
  readonly project: Project
  /** The chain of the turn; all that the turn causes carries it, one hop further. */
  readonly chain: Chain
  /** When the turn's time is up. */
  readonly deadline: number
  /** Whether a rule grants something that is denied by default: `session:<id>`, `topLevel`, `interrupt`. */
  permits(what: string): boolean
  /** The folder in which the session's files and commands live, as a real path. */
  readonly workspace: string
  /** The run of which the session is a member. */
  readonly run?: RunPlace | undefined
  /** Paths outside the workspace that this call was permitted to touch, as real paths. */
  readonly reach: readonly Touch[]
  /** A person approved exactly this call. */
  readonly approved?: boolean
  /** What becomes of a question to the person when nobody is there. */
  readonly unattended: 'wait' | 'deny' | 'allow'
  /** Real paths that a search leaves out, because a rule keeps them from this session. */
  readonly hidden: readonly string[]
  /** How the call's commands are shut in. */
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
  /** What other sessions spent on this result, and their tokens whose price nobody knows. */
  readonly costUsd?: number
  readonly unpricedTokens?: number
  /** Tools whose schemas the session's requests carry from now on; written together with the result. */
  readonly loads?: readonly string[]
}

/**
 * The call waits for something outside: it becomes a row, and the turn holds no slot meanwhile. Each kind of wait makes
 * its own in `core/waits`, with all that it must know later; all of it is kept in the row.
 */
export interface Park {
  readonly park: WaitKind
  /** When the wait ends at the latest. */
  readonly until?: number
  /** `until` is the longest that any wait may last. When a task reaches it, the task ends, not only the call. */
  readonly longest?: boolean
  /** The inbox item by which a person ends the wait; a new one unless it is named. */
  readonly inboxId?: string
}

/** What an approval is about; kept with the call until it is answered. */
export interface Asked {
  readonly because: string
  readonly changesRights: boolean
  /** The digest of exactly this call. */
  readonly bound: string
  /** The rules that "always" writes, and "for this session" keeps for that session. */
  readonly always: readonly string[]
}

/** How a command is shut in: a box, or why it must not run at all. */
export type Sandbox = Box | { readonly unavailable: string }
