import type { Client, RequestOptions } from '@modelcontextprotocol/client'
import type { Tool, ToolOutput } from '../../core/base/index.ts'
import type { Listing } from './catalogs.ts'
import { promptOutput, resourceOutput, resultOutput } from './results.ts'

interface RestTool<Input = never> extends Pick<Tool, 'name' | 'description' | 'input'> {
  ask(client: Client, input: Input, options: RequestOptions, server: string): Promise<ToolOutput>
}

const RESOURCES = 200

const object = (properties: Record<string, unknown>, required: readonly string[] = []) => ({
  jsonSchema: { type: 'object', properties, required, additionalProperties: false },
})

/** By which a model sees and reads what a server has to read. */
export function resourceTools(): RestTool[] {
  const list: RestTool = {
    name: 'list_resources',
    description: 'List what this server has to read, with addresses.',
    input: object({}),
    async ask(client, _, options, server) {
      const { resources } = await client.listResources(undefined, options)
      const { resourceTemplates } = await client
        .listResourceTemplates(undefined, options)
        .catch(() => ({ resourceTemplates: [] }))
      const all = [
        ...resources.map(({ uri, name, mimeType }) => `${uri}  ${name}${mimeType ? ` (${mimeType})` : ''}`),
        ...resourceTemplates.map(({ uriTemplate, name }) => `${uriTemplate}  ${name} (fill in the braces)`),
      ]
      const more = all.length > RESOURCES ? [`and ${all.length - RESOURCES} more`] : []
      return resultOutput(server, {
        content: [{ type: 'text', text: [...all.slice(0, RESOURCES), ...more].join('\n') }],
      })
    },
  }
  const read: RestTool<{ uri: string }> = {
    name: 'read_resource',
    description: 'Read one resource of this server by its address.',
    input: object({ uri: { type: 'string', maxLength: 8000 } }, ['uri']),
    ask: async (client, { uri }, options, server) =>
      resourceOutput(server, await client.readResource({ uri }, { ...options, cacheMode: 'bypass' })),
  }
  return [list, read as RestTool]
}

const PROMPT_CHARS = 1500

/** By which a model takes one of the texts that a server has prepared. */
export function promptTool(prompts: Listing['prompts']): RestTool[] {
  if (prompts.length === 0) return []
  const known = prompts.map(({ name, arguments: takes }) => `${name}(${takes.join(', ')})`).join(', ')
  const get: RestTool<{ name: string; arguments?: Record<string, string> }> = {
    name: 'get_prompt',
    description: `Get a prepared text of this server: ${known.slice(0, PROMPT_CHARS)}`,
    input: object(
      {
        name: { type: 'string', maxLength: 200 },
        arguments: { type: 'object', additionalProperties: { type: 'string' } },
      },
      ['name'],
    ),
    ask: async (client, given, options, server) => promptOutput(server, await client.getPrompt(given, options)),
  }
  return [get as RestTool]
}
