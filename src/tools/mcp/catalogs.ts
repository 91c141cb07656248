import { join } from 'node:path'
import { z } from 'zod'
import type { ConfiguredServer } from '../../core/config/index.ts'
import type { McpChange } from '../../core/mcp/index.ts'
import { readSmall, sha256, writeAtomic } from '../../lib/files/files.ts'

const ListedTool = z.strictObject({
  name: z.string(),
  description: z.string(),
  inputSchema: z.record(z.string(), z.unknown()),
})
type ListedTool = z.infer<typeof ListedTool>

/** What a server said that it has. */
export const Listing = z.strictObject({
  says: z.string(),
  tools: z.array(ListedTool),
  resources: z.boolean(),
  prompts: z.array(z.strictObject({ name: z.string(), description: z.string(), arguments: z.array(z.string()) })),
})
export type Listing = z.infer<typeof Listing>

/** Kept in the data folder, so that a restart starts no server before it is needed, and knows what was approved. */
const Kept = z.strictObject({
  server: z.string(),
  at: z.number(),
  listing: Listing,
  /** The digest of each tool as it was when it was first seen with this server, or approved since. */
  approved: z.record(z.string(), z.string()),
})

/** What is known of one server. A change makes a new object. */
export type Catalog = z.infer<typeof Kept>

const CATALOG_BYTES = 16 * 1024 * 1024
const KEPT = 500

/** What says of itself what a tool does and takes. */
export const toolDigest = ({ name, description, inputSchema }: ListedTool): string =>
  sha256(JSON.stringify([name, description, inputSchema]))

export interface Catalogs {
  of(server: ConfiguredServer): Catalog | undefined
  /** Takes what a server says now; tells what is not as it was. */
  update(server: ConfiguredServer, listing: Listing, now: number): McpChange | undefined
  isApproved(server: ConfiguredServer, tool: ListedTool): boolean
  /** From now on the tool as it is counts as approved. */
  approve(server: ConfiguredServer, tool: ListedTool): void
}

export function openCatalogs(home: string): Catalogs {
  const known = new Map<string, Catalog>()
  const fileOf = ({ digest }: ConfiguredServer): string => join(home, 'mcp', `${digest.slice(0, 32)}.json`)

  function of(server: ConfiguredServer): Catalog | undefined {
    const kept = known.get(server.digest) ?? readKept(fileOf(server))
    if (kept) remember(server, kept)
    return kept
  }

  function remember({ digest }: ConfiguredServer, catalog: Catalog): void {
    known.delete(digest)
    known.set(digest, catalog)
    if (known.size > KEPT) known.delete(known.keys().next().value ?? digest)
  }

  function keep(server: ConfiguredServer, catalog: Catalog): void {
    writeAtomic(fileOf(server), JSON.stringify(catalog), 0o600)
    remember(server, catalog)
  }

  return {
    of,
    update(server, listing, now) {
      const before = of(server)
      // With the server as it is written down now, its first list is what the person agreed to.
      const approved =
        before?.approved ?? Object.fromEntries(listing.tools.map((tool) => [tool.name, toolDigest(tool)]))
      const same = before && JSON.stringify(before.listing) === JSON.stringify(listing)
      keep(server, { server: server.name, at: now, listing: same ? before.listing : listing, approved })
      return before && !same ? changeOf(server.name, before.listing, listing) : undefined
    },
    isApproved: (server, tool) => of(server)?.approved[tool.name] === toolDigest(tool),
    approve(server, tool) {
      const before = of(server)
      if (before) keep(server, { ...before, approved: { ...before.approved, [tool.name]: toolDigest(tool) } })
    },
  }
}

function changeOf(server: string, before: Listing, after: Listing): McpChange {
  const [old, now] = [before, after].map(({ tools }) => new Map(tools.map((tool) => [tool.name, toolDigest(tool)])))
  return {
    server,
    added: [...now!.keys()].filter((name) => !old!.has(name)),
    changed: [...now!].flatMap(([name, digest]) => (old!.has(name) && old!.get(name) !== digest ? [name] : [])),
    removed: [...old!.keys()].filter((name) => !now!.has(name)),
  }
}

/** A file that cannot be read counts as none. */
function readKept(path: string): Catalog | undefined {
  const file = readSmall(path, { limit: CATALOG_BYTES })
  if (file === undefined || file.problem || file.cut) return undefined
  try {
    return Kept.parse(JSON.parse(file.text))
  } catch {
    return undefined
  }
}
