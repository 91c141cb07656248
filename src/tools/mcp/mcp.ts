import { setTimeout as delay } from 'node:timers/promises'
import type { Problem } from '../../contract/agents.ts'
import { AppError } from '../../contract/errors.ts'
import type { McpInfo } from '../../contract/mcp.ts'
import type { Core, Mcp, McpOwner, Tool, ToolSource, ToolsFound, ToolUser } from '../../core/base/index.ts'
import { type ConfiguredServer, type Learn, mcpServers, resolveServer } from '../../core/config/index.ts'
import { suggestion } from '../../lib/closest.ts'
import type { Catalog } from './catalogs.ts'
import { whyFailed } from './failures.ts'
import { infoOf } from './info.ts'
import { openServers, type Servers } from './servers.ts'
import { toolsOf } from './tools.ts'
import { mcpFetch } from './transports.ts'

const IDLE_MS = 5 * 60_000
/** A session's first turn waits this long for a server that nothing is known of. */
const FIRST_MS = 5000
/** What is known of a server that was not asked for this long is read again, beside the turn. */
const STALE_MS = 24 * 3600_000
const KEPT = 500

interface McpParts {
  readonly home: string
  readonly learn: Learn
  readonly idleMs?: number
}

/** The servers of the Model Context Protocol: a source of tools, and what people ask about them. */
export function createMcp({ home, learn, idleMs = IDLE_MS }: McpParts): ToolSource & Mcp {
  const servers = openServers(home, { learn, idleMs })
  const made = new WeakMap<Catalog['listing'], Map<string, readonly Tool[]>>()
  const results = new Map<string, { from: readonly unknown[]; found: ToolsFound }>()
  /** Looks that run now, and when each began. */
  const looks = new Map<string, { done: Promise<void>; at: number }>()

  async function toolsFor(core: Core, whom: ToolUser): Promise<ToolsFound> {
    const { servers: all, problems } = await mcpServers(core, whom.project, whom.agent, whom.definition)
    if (all.length + problems.length === 0) return none
    const on = all.filter(({ config }) => config.enabled !== false)
    // Whoever only looks at lists starts nothing.
    if (whom.sessionId !== undefined) await Promise.all(on.map((server) => refresh(core, server, whom)))
    return found(whom, on, problems)
  }

  async function refresh(core: Core, server: ConfiguredServer, whom: ToolUser): Promise<void> {
    const known = servers.catalogs.of(server)
    if (known && core.clock.now() - known.at < STALE_MS) return
    if (isDown(servers, server)) return
    const look = looks.get(server.digest) ?? begin(core, server, whom)
    const left = FIRST_MS - (performance.now() - look.at)
    if (known === undefined && left > 0) await Promise.race([look.done, delay(left, undefined, { ref: false })])
  }

  function begin(core: Core, server: ConfiguredServer, whom: ToolUser) {
    const done = servers
      .look(core, server, whom)
      .catch((error) => servers.down(core, whom.project, server, whyFailed(error)))
      .finally(() => looks.delete(server.digest))
    const look = { done, at: performance.now() }
    looks.set(server.digest, look)
    return look
  }

  function found(whom: ToolUser, on: readonly ConfiguredServer[], problems: readonly Problem[]): ToolsFound {
    const catalogs = on.map((server) => servers.catalogs.of(server))
    const inTheWay = on.flatMap((server) => downProblem(servers, server))
    const key = `${whom.project.path}\0${whom.agent?.folder ?? ''}\0${whom.agent?.name ?? ''}`
    const from = [
      ...on.map(({ digest }) => digest),
      ...catalogs.map((catalog) => catalog?.listing),
      JSON.stringify([problems, inTheWay]),
    ]
    const known = results.get(key)
    if (known?.from.length === from.length && known.from.every((one, at) => one === from[at])) return known.found
    const tools = on.flatMap((server, at) => {
      const catalog = catalogs[at]
      return catalog ? madeOf(server, catalog) : []
    })
    const now = { tools, problems: [...problems, ...inTheWay] }
    results.delete(key)
    results.set(key, { from, found: now })
    if (results.size > KEPT) results.delete(results.keys().next().value ?? key)
    return now
  }

  /** The same tools while the server has the same to offer. */
  function madeOf(server: ConfiguredServer, catalog: Catalog): readonly Tool[] {
    const byServer = made.get(catalog.listing) ?? new Map<string, readonly Tool[]>()
    made.set(catalog.listing, byServer)
    const tools = byServer.get(server.digest) ?? toolsOf(server, catalog, servers)
    byServer.set(server.digest, tools)
    return tools
  }

  async function named(core: Core, { project, agent }: McpOwner, name: string): Promise<ConfiguredServer> {
    const { servers: all, problems } = await mcpServers(core, project, agent)
    const server = all.find((one) => one.name === name)
    if (server) return server
    const why = problems.find(({ field }) => field === `mcpServers.${name}`)
    throw new AppError(
      'mcp.not_found',
      why ? `${name} in ${why.file} ${why.message}.` : `There is no MCP server "${name}" here.`,
      {
        hint: suggestion(
          name,
          all.map((one) => one.name),
          'There is',
        ),
      },
    )
  }

  const connected = async (core: Core, whose: McpOwner, server: ConfiguredServer): Promise<McpInfo> => {
    for (const connection of servers.pool.of(server.digest)) connection.forgive()
    await servers.look(core, server, whose).catch(() => {})
    return infoOf(core, servers, server)
  }

  const elsewhere = (core: Core, server: ConfiguredServer): { url: string; fetch: ReturnType<typeof mcpFetch> } => {
    const resolved = resolveServer(server.config, core.env)
    if (!('url' in resolved))
      throw new AppError(
        'request.invalid',
        `${server.name} is a program of this machine, or its address is not known; there is no login.`,
      )
    return { url: resolved.url, fetch: mcpFetch(core, server, resolved.url) }
  }

  return {
    toolsFor,
    close: () => servers.pool.close(),
    async list(core, whose) {
      const { servers: all } = await mcpServers(core, whose.project, whose.agent)
      return all.map((server) => infoOf(core, servers, server))
    },
    test: async (core, whose, name) => connected(core, whose, await named(core, whose, name)),
    log: async (core, whose, name) => core.mask(servers.logs.of((await named(core, whose, name)).digest)),
    async login(core, whose, name, redirectUrl) {
      const server = await named(core, whose, name)
      return servers.logins.begin(server, { ...elsewhere(core, server), redirectUrl, now: core.clock.now() })
    },
    async finishLogin(core, whose, name, given) {
      const server = await named(core, whose, name)
      await servers.logins.finish(server, { ...given, ...elsewhere(core, server), now: core.clock.now() })
      await servers.pool.drop(server.digest)
      return connected(core, whose, server)
    },
    async logout(core, whose, name) {
      const server = await named(core, whose, name)
      servers.logins.forget(server)
      await servers.pool.drop(server.digest)
      return infoOf(core, servers, server)
    },
  }
}

const none: ToolsFound = { tools: [], problems: [] }

const isDown = ({ pool }: Servers, { digest }: ConfiguredServer): boolean =>
  pool.of(digest).some((connection) => connection.state().retryAt !== undefined)

function downProblem({ pool }: Servers, { name, file, digest }: ConfiguredServer): Problem[] {
  const states = pool.of(digest).map((connection) => connection.state())
  const down = states.find(({ state }) => state === 'down' || state === 'login')
  if (down === undefined || states.some(({ state }) => state === 'running')) return []
  const way = down.state === 'login' ? `"troupe mcp login ${name}"` : `"troupe mcp logs ${name}"`
  return [{ file, field: `mcpServers.${name}`, message: `is down: ${down.reason}; ${way}` }]
}
