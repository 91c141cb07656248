import picomatch from 'picomatch'
import { z } from 'zod'
import type { AgentFile } from '../../contract/agents.ts'
import type { Tool, ToolSchema } from '../base/index.ts'

/** The tools an agent has: by name and by capability; deny wins. The same list is shown to the model and enforced. */
export function toolsInScope(all: Iterable<Tool>, definition: AgentFile): Map<string, Tool> {
  const named = scope(definition.tools)
  const capable = scope(definition.capabilities)
  const inScope = [...all].filter((tool) => {
    if (named.denied(tool.name)) return false
    if (!named.allowed(tool.name) && !tool.forEveryone) return false
    return tool.capabilities.every((capability) => capable.allowed(capability) && !capable.denied(capability))
  })
  return new Map(inScope.map((tool) => [tool.name, tool]))
}

export const matches = (pattern: string, name: string): boolean => matcher(pattern)(name)

const schemas = new WeakMap<Tool, Map<string, ToolSchema>>()

/** The schema that models see, without some fields. It is made once for each choice of fields. */
export function schemaOf(tool: Tool, without: readonly string[] = []): ToolSchema {
  const made = schemas.get(tool) ?? new Map<string, ToolSchema>()
  schemas.set(tool, made)
  const key = without.join()
  const schema = made.get(key) ?? schemaWithout(tool, without)
  made.set(key, schema)
  return schema
}

function schemaWithout({ name, description, input }: Tool, without: readonly string[]): ToolSchema {
  const { $schema: _, ...inputSchema } = z.toJSONSchema(input, { io: 'input' })
  const { properties = {}, required } = inputSchema
  const kept = Object.entries(properties).filter(([field]) => !without.includes(field))
  if (without.length === 0) return { name, description, inputSchema }
  return {
    name,
    description,
    inputSchema: {
      ...inputSchema,
      properties: Object.fromEntries(kept),
      ...(required ? { required: required.filter((field) => !without.includes(field)) } : {}),
    },
  }
}

function scope(lists: { allow?: string[] | undefined; deny?: string[] | undefined } | undefined) {
  const allow = lists?.allow?.map(matcher)
  const deny = lists?.deny?.map(matcher) ?? []
  return {
    allowed: (name: string) => allow === undefined || allow.some((match) => match(name)),
    denied: (name: string) => deny.some((match) => match(name)),
  }
}

const matchers = new Map<string, (name: string) => boolean>()
const MATCHERS_KEPT = 1000

function matcher(pattern: string): (name: string) => boolean {
  let match = matchers.get(pattern)
  if (match === undefined) {
    if (matchers.size >= MATCHERS_KEPT) matchers.clear()
    match = picomatch(pattern, { dot: true })
    matchers.set(pattern, match)
  }
  return match
}
