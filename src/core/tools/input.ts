import { z } from 'zod'
import { checkJson } from '../../lib/json-schema/check.ts'
import type { Tool } from '../base/index.ts'

type Checked = { readonly value: unknown } | { readonly problem: string }

/** The input as the tool takes it, or what is wrong with it, field by field. */
export async function readInput({ input }: Tool, given: unknown): Promise<Checked> {
  if ('jsonSchema' in input) return checkBySchema(input.jsonSchema, given)
  const parsed = input.safeParse(given)
  return parsed.success ? { value: parsed.data } : { problem: z.prettifyError(parsed.error) }
}

async function checkBySchema(schema: object, given: unknown): Promise<Checked> {
  try {
    const problems = await checkJson({ schema, value: given ?? {} })
    if (problems.length === 0) return { value: given ?? {} }
    return { problem: problems.map((problem) => `✖ ${problem}`).join('\n') }
  } catch (error) {
    return { problem: `Its schema cannot be used: ${error instanceof Error ? error.message : String(error)}` }
  }
}

const SCHEMA_CHARS = 32_000
const SCHEMA_DEPTH = 24

/** Why a JSON Schema of somebody else cannot describe the input of a tool; undefined when it can. */
export function schemaProblem(schema: unknown): string | undefined {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return 'must be a JSON Schema, an object'
  if ((schema as { type?: unknown }).type !== 'object') return 'must have "type": "object" at its top'
  if (depthOf(schema) > SCHEMA_DEPTH) return `is nested more than ${SCHEMA_DEPTH} levels deep`
  if (JSON.stringify(schema).length > SCHEMA_CHARS) return `is longer than ${SCHEMA_CHARS} characters`
  return undefined
}

function depthOf(value: unknown, at = 1): number {
  if (typeof value !== 'object' || value === null || at > SCHEMA_DEPTH) return at
  return Math.max(at, ...Object.values(value).map((inner) => depthOf(inner, at + 1)))
}
