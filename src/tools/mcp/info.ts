import type { McpInfo } from '../../contract/mcp.ts'
import type { Core } from '../../core/base/index.ts'
import type { ConfiguredServer } from '../../core/config/index.ts'
import { iso } from '../../lib/clock.ts'
import { ruleNameOf, toolNames } from './names.ts'
import type { Servers } from './servers.ts'

/** What people are shown of a server. */
export function infoOf(core: Core, { catalogs, pool }: Servers, server: ConfiguredServer): McpInfo {
  const { name, source, file, config } = server
  const listing = catalogs.of(server)?.listing
  const names = toolNames(name, listing?.tools.map((tool) => tool.name) ?? [])
  const states = pool.of(server.digest).map((connection) => connection.state())
  const state = states.find((one) => one.state === 'running') ?? states.find((one) => one.state !== 'idle')
  return {
    name,
    source,
    file,
    transport: 'command' in config ? 'stdio' : 'http',
    target: core.mask('command' in config ? [config.command, ...(config.args ?? [])].join(' ') : config.url),
    state: config.enabled === false ? 'off' : (state?.state ?? 'idle'),
    ...(state?.reason !== undefined && { reason: core.mask(state.reason) }),
    ...(state?.retryAt !== undefined && { retryAt: iso(state.retryAt) }),
    ...(listing?.says && { says: listing.says }),
    tools: (listing?.tools ?? []).flatMap((tool) => {
      const called = names.get(tool.name)
      if (called === undefined) return []
      return [{ name: called, rule: ruleNameOf(name, tool.name), changed: !catalogs.isApproved(server, tool) }]
    }),
    resources: listing?.resources ?? false,
    prompts: listing?.prompts.map((prompt) => prompt.name) ?? [],
  }
}
