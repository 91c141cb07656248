import type { Client } from '@modelcontextprotocol/client'
import { shorten } from '../../lib/shorten.ts'
import { printable } from '../../lib/text.ts'
import type { Listing } from './catalogs.ts'

const TOOLS = 1000
const PROMPTS = 100
const NAME_CHARS = 200
const DESCRIPTION_CHARS = 2000

/** Asks a server for all that it has. What goes beyond the bounds is left out. */
export async function readListing(client: Client, timeout: number): Promise<Listing> {
  const offered = client.getServerCapabilities() ?? {}
  const { tools } = offered.tools ? await client.listTools(undefined, { timeout }) : { tools: [] }
  const { prompts } = offered.prompts ? await client.listPrompts(undefined, { timeout }) : { prompts: [] }
  const { name = '', version = '' } = client.getServerVersion() ?? {}
  return {
    says: shorten(printable(`${name} ${version}`.trim()), NAME_CHARS),
    tools: firstOfEach(tools.slice(0, TOOLS)).map(({ name, description = '', inputSchema }) => ({
      name,
      description: shorten(printable(description), DESCRIPTION_CHARS),
      inputSchema: inputSchema as Record<string, unknown>,
    })),
    resources: offered.resources !== undefined,
    prompts: firstOfEach(prompts.slice(0, PROMPTS)).map((prompt) => ({
      name: prompt.name,
      description: shorten(printable(prompt.description ?? ''), NAME_CHARS),
      arguments: (prompt.arguments ?? []).map(({ name, required }) => (required ? name : `${name}?`)).slice(0, 20),
    })),
  }
}

const firstOfEach = <T extends { readonly name: string }>(all: readonly T[]): T[] =>
  all.filter(({ name }, at) => all.findIndex((one) => one.name === name) === at)
