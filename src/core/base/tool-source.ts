import type { Agent, AgentFile, Problem } from '../../contract/agents.ts'
import type { SessionId } from '../../contract/ids.ts'
import type { Core, Project } from './core.ts'
import type { Tool } from './tool.ts'

/** Knows tools beyond the built-in ones. What it returns is the same object until something changed, so that callers can cache by it. */
export interface ToolSource {
  toolsFor(core: Core, whom: ToolUser): ToolsFound | Promise<ToolsFound>
  /** The server stops: whatever runs for these tools ends. */
  close?(): Promise<void>
}

/** For whom tools are looked up: an agent of a project, perhaps in a session. Without an agent: what every agent there has. */
export interface ToolUser {
  readonly project: Project
  readonly agent?: Agent
  readonly definition?: AgentFile
  readonly sessionId?: SessionId
}

export interface ToolsFound {
  readonly tools: readonly Tool[]
  /** What is there and cannot be used, and why. */
  readonly problems: readonly Problem[]
}
