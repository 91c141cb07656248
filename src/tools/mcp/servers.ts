import type { Client } from '@modelcontextprotocol/client'
import type { Core, Project, ToolUser } from '../../core/base/index.ts'
import type { ConfiguredServer, Learn } from '../../core/config/index.ts'
import { tellMcpBack, tellMcpChange, tellMcpDown } from '../../core/mcp/index.ts'
import { boxOf } from '../../core/permissions/index.ts'
import type { Box } from '../../lib/sandbox/sandbox.ts'
import { boxFor, boxKey } from './box.ts'
import { type Catalogs, openCatalogs } from './catalogs.ts'
import { type Connection, createConnection } from './connection.ts'
import { isForgotten } from './failures.ts'
import { readListing } from './listing.ts'
import { type Logins, openLogins } from './logins.ts'
import { createLogs, type Logs } from './logs.ts'
import { createPool, type Pool } from './pool.ts'
import { type AskServer, optionsFor } from './tools.ts'
import { openTransport } from './transports.ts'

const START_SECONDS = 30

/** All that runs or is known of servers, of one data folder. */
export interface Servers {
  readonly catalogs: Catalogs
  readonly logins: Logins
  readonly logs: Logs
  readonly pool: Pool
  readonly ask: AskServer
  /** Tells the person, once, that it cannot be reached. */
  down(core: Core, project: Project, server: ConfiguredServer, why: string): void
  /** Connects, and reads what the server has. */
  look(core: Core, server: ConfiguredServer, whom: ToolUser): Promise<void>
}

export function openServers(home: string, { learn, idleMs }: { learn: Learn; idleMs: number }): Servers {
  const catalogs = openCatalogs(home)
  const logins = openLogins(home, learn)
  const logs = createLogs()
  const pool = createPool()
  /** Of which servers the person is told that they are down, and where. */
  const told = new Map<string, Promise<Project>>()
  /** Servers of which no notice is left from before this process. */
  const seen = new Set<string>()

  function connectionTo(from: Core, project: Project, server: ConfiguredServer, box: Box | undefined): Connection {
    // A connection outlives the call that made it.
    const { runner: _, ...core } = from
    const startMs = (server.config.startSeconds ?? START_SECONDS) * 1000
    return pool.get(`${server.digest}${box ? boxKey(box) : ''}`, server.digest, () => {
      const connection = createConnection({
        clock: core.clock,
        startMs,
        idleMs,
        open: () =>
          openTransport({
            core,
            server,
            box,
            learn,
            logins,
            print: (text) => logs.add(server.digest, text),
            ended: (why) => connection.ended(why),
          }),
        listed: (client) => listed(core, project, server, client, startMs),
        down: (why) => down(core, project, server, why),
      })
      return connection
    })
  }

  async function listed(core: Core, project: Project, server: ConfiguredServer, client: Client, timeout: number) {
    const change = catalogs.update(server, await readListing(client, timeout), core.clock.now())
    const notice = told.get(server.digest)
    told.delete(server.digest)
    if (notice !== undefined || !seen.has(server.digest))
      await tellMcpBack(core, (await notice) ?? project, server.name)
    seen.add(server.digest)
    if (change === undefined) return
    const names = [...change.added, ...change.changed].slice(0, 20).join(', ')
    core.security('mcp', server.name, `offers something else than before: ${names || 'fewer tools'}`)
    await tellMcpChange(core, project, change)
  }

  function down(core: Core, project: Project, server: ConfiguredServer, why: string): void {
    logs.add(server.digest, `[${why}]\n`)
    if (told.has(server.digest)) return
    const telling = tellMcpDown(core, project, { server: server.name, why }).catch((error) =>
      core.log('warn', 'nobody was told that an MCP server is down', { server: server.name, error: String(error) }),
    )
    told.set(
      server.digest,
      telling.then(() => project),
    )
  }

  return {
    catalogs,
    logins,
    logs,
    pool,
    down,
    async ask(server, context, work) {
      const box = 'command' in server.config ? boxOf(context.sandbox) : undefined
      const connection = connectionTo(context.core, context.project, server, box)
      const once = () => connection.use(context.signal, (client) => work(client, optionsFor(server, context)))
      try {
        return await once()
      } catch (error) {
        // It has forgotten us, so it did nothing: it is greeted anew.
        if (!isForgotten(error)) throw error
        return await once()
      }
    },
    async look(core, server, whom) {
      const box = 'command' in server.config ? await boxFor(core, whom) : undefined
      const connection = connectionTo(core, whom.project, server, box)
      await connection.use(AbortSignal.timeout(20 * 60_000), async () => {})
    },
  }
}
