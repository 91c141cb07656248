import type { Client } from '@modelcontextprotocol/client'
import { shorten } from '../../lib/shorten.ts'
import { printable } from '../../lib/text.ts'
import type { Listing } from './catalogs.ts'

const TOOLS = 1000
const PROMPTS = 100
const ARGUMENTS = 20
const NAME_CHARS = 200
const DESCRIPTION_CHARS = 2000
/** All tools together, so that what is kept of them can be read again: it says what was approved. */
const LISTING_CHARS = 4_000_000

/** Asks a server for all that it has. What goes beyond the bounds is left out. */
export async function readListing(client: Client, timeout: number): Promise<Listing> {
  const offered = client.getServerCapabilities() ?? {}
  const { tools } = offered.tools ? await client.listTools(undefined, { timeout }) : { tools: [] }
  const { prompts } = offered.prompts ? await client.listPrompts(undefined, { timeout }) : { prompts: [] }
  const { name = '', version = '' } = client.getServerVersion() ?? {}
  return {
    says: shorten(printable(`${name} ${version}`.trim()), NAME_CHARS),
    tools: inRoom(
      firstOfEach(tools.slice(0, TOOLS)).map(({ name, description = '', inputSchema }) => ({
        name,
        description: shorten(printable(description), DESCRIPTION_CHARS),
        inputSchema: inputSchema as Record<string, unknown>,
      })),
    ),
    resources: offered.resources !== undefined,
    prompts: firstOfEach(prompts.slice(0, PROMPTS)).map((prompt) => ({
      name: prompt.name,
      description: shorten(printable(prompt.description ?? ''), NAME_CHARS),
      arguments: (prompt.arguments ?? [])
        .slice(0, ARGUMENTS)
        .map(({ name, required }) => `${shorten(name, NAME_CHARS)}${required ? '' : '?'}`),
    })),
  }
}

/** A name that is too long is nobody's; of two that are alike the first counts. */
const firstOfEach = <T extends { readonly name: string }>(all: readonly T[]): T[] =>
  all.filter(({ name }, at) => name.length <= NAME_CHARS && all.findIndex((one) => one.name === name) === at)

function inRoom<T>(all: readonly T[]): T[] {
  let left = LISTING_CHARS
  return all.filter((one) => {
    const { length } = JSON.stringify(one)
    if (length > left) return false
    left -= length
    return true
  })
}
