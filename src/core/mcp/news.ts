import { newId } from '../../lib/ids.ts'
import { findGrouped } from '../../store/inbox.ts'
import { type Core, type Project, transact } from '../base/index.ts'
import { dismissNotice, notifyProject } from '../inbox/index.ts'

export interface McpChange {
  readonly server: string
  readonly added: readonly string[]
  readonly changed: readonly string[]
  readonly removed: readonly string[]
}

const NAMES = 100

/** What a server offers is not what it was: the record says so, and what is new or other is asked for. */
export async function tellMcpChange(core: Core, { id }: Project, change: McpChange): Promise<void> {
  const { server, added, changed, removed } = change
  const some = (names: readonly string[]): string[] => names.slice(0, NAMES)
  await transact(core, 'mcp.changed', async (tx) =>
    tx.record(
      'mcp.changed',
      { project: id },
      {
        server,
        added: some(added),
        changed: some(changed),
        removed: some(removed),
      },
    ),
  )
}

/** A server that is down is one notice while it is open, also over restarts of ours. */
export async function tellMcpDown(
  core: Core,
  { id: project }: Project,
  { server, why }: { readonly server: string; readonly why: string },
): Promise<void> {
  await transact(core, 'mcp.down', (tx) =>
    notifyProject(tx, project, {
      id: newId('inbox'),
      group: groupOf(server),
      title: `The MCP server ${server} is down`,
      body: `${why}\nAgents work without its tools until it is back; it is tried again by itself. Look with "troupe mcp logs ${server}", try with "troupe mcp test ${server}".`,
    }),
  )
}

/** It is back: the notice of its outage has nothing left to say. */
export async function tellMcpBack(core: Core, { id: project }: Project, server: string): Promise<void> {
  const notice = await findGrouped(core.store.read, project, groupOf(server))
  if (notice === undefined) return
  await transact(core, 'mcp.back', (tx) => dismissNotice(tx, project, notice.id, 'The server is back.'))
}

const groupOf = (server: string): string => `mcp:${server}`
