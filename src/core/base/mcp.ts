import type { Agent } from '../../contract/agents.ts'
import type { McpInfo } from '../../contract/mcp.ts'
import type { Core, Project } from './core.ts'

/** The servers of the Model Context Protocol, for people who look at them. Their tools come by a source. */
export interface Mcp {
  list(core: Core, whose: McpOwner): Promise<McpInfo[]>
  /** Starts it now, whatever it waited for, and reads what it has. */
  test(core: Core, whose: McpOwner, name: string): Promise<McpInfo>
  /** What it printed beside its answers, the newest last. */
  log(core: Core, whose: McpOwner, name: string): Promise<string>
  /** Where the person says yes, in a browser that then leads back to this address. */
  login(core: Core, whose: McpOwner, name: string, redirectUrl: string): Promise<{ url: string; state: string }>
  finishLogin(core: Core, whose: McpOwner, name: string, given: McpGranted): Promise<McpInfo>
  logout(core: Core, whose: McpOwner, name: string): Promise<McpInfo>
}

export interface McpOwner {
  readonly project: Project
  /** With its own servers. */
  readonly agent?: Agent
}

interface McpGranted {
  readonly state: string
  readonly code: string
  readonly iss?: string | undefined
}
