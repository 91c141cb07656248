import { z } from 'zod'
import type { Tool, ToolSchema } from '../base/index.ts'

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

const sizes = new WeakMap<ToolSchema, number>()

/** How many tokens a tool takes in every request that carries it, as an estimate. */
export function schemaTokens(schema: ToolSchema): number {
  const size = sizes.get(schema) ?? Math.ceil(JSON.stringify(schema).length / 4)
  sizes.set(schema, size)
  return size
}

function schemaWithout({ name, description, input }: Tool, without: readonly string[]): ToolSchema {
  const { $schema: _, ...inputSchema } =
    'jsonSchema' in input ? input.jsonSchema : (spare(z.toJSONSchema(input, { io: 'input' })) as JsonObject)
  if (without.length === 0) return { name, description, inputSchema }
  const { properties = {}, required } = inputSchema as { properties?: object; required?: string[] }
  const kept = Object.entries(properties).filter(([field]) => !without.includes(field))
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

type JsonObject = Record<string, unknown>

/** A model need not know them: input beyond them is refused with a sentence that says so. */
const unsaid = new Set(['additionalProperties', 'minLength', 'maxLength', 'maxItems', 'minItems', 'pattern'])

/** Every word of a schema is paid for in every request, so what helps no model is left out. */
function spare(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(spare)
  if (typeof schema !== 'object' || schema === null) return schema
  const { properties, ...rest } = schema as JsonObject & { properties?: JsonObject }
  const words = Object.entries(rest).filter(
    ([word, value]) => !(unsaid.has(word) && typeof value !== 'object') && !isPlain(word, value),
  )
  const spared = Object.fromEntries(words.map(([word, value]) => [word, spare(value)]))
  if (properties === undefined) return spared
  return {
    ...spared,
    properties: Object.fromEntries(Object.entries(properties).map(([name, it]) => [name, spare(it)])),
  }
}

/** What goes without saying. */
const isPlain = (word: string, value: unknown): boolean =>
  (word === 'maximum' && value === Number.MAX_SAFE_INTEGER) ||
  (word === 'default' && (value === false || isEmpty(value))) ||
  (word === 'propertyNames' && JSON.stringify(value) === '{"type":"string"}') ||
  word === 'minimum' ||
  word === 'exclusiveMinimum'

const isEmpty = (value: unknown): boolean => ['""', '[]', '{}'].includes(JSON.stringify(value))
