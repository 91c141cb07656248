import { createHash } from 'node:crypto'
import { isRecord, listOf } from './reply.ts'

const NAME = /^[a-zA-Z0-9_-]{1,64}$/
const ID_LENGTH = 64
const FEWEST_TOKENS = 16

/** A thought as this stand-in encrypts it for one key; another key cannot read it. */
export const sealOf = (id: string, key: string): string =>
  `gAAAA${createHash('sha256').update(`${id}:${key}`).digest('base64url')}`

/** Why the responses API would refuse this body with 400, or undefined. */
export function refusedByResponses(body: Record<string, unknown>, key: string): string | undefined {
  if (typeof body.model !== 'string' || body.model === '') return "Missing required parameter: 'model'."
  if (typeof body.max_output_tokens === 'number' && body.max_output_tokens < FEWEST_TOKENS) {
    return `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= ${FEWEST_TOKENS}.`
  }
  const names = listOf(body.tools).map((tool) => tool.name)
  if (names.some((name) => typeof name !== 'string' || !NAME.test(name))) return "Invalid 'tools[0].name'"
  if (new Set(names).size !== names.length) return 'Duplicate tool name.'
  if (!Array.isArray(body.input) || body.input.length === 0) return "Missing required parameter: 'input'."
  return refusedItems(listOf(body.input), key)
}

function refusedItems(items: readonly Record<string, unknown>[], key: string): string | undefined {
  const open = new Set<string>()
  const every = new Set<string>()
  for (const [index, item] of items.entries()) {
    const reason = refusedItem(item, index, items[index + 1], key)
    if (reason) return reason
    const id = String(item.call_id)
    if (item.type === 'function_call') {
      if (every.has(id)) return `Duplicate item found with call_id ${id}.`
      every.add(id)
      open.add(id)
    } else if (item.type === 'function_call_output') {
      if (!open.delete(id)) return `No tool call found for function call output with call_id ${id}.`
    } else if (open.size > 0 && item.role === 'user') {
      return `No tool output found for function call ${[...open][0]}.`
    }
  }
  return open.size > 0 ? `No tool output found for function call ${[...open][0]}.` : undefined
}

function refusedItem(
  item: Record<string, unknown>,
  index: number,
  next: Record<string, unknown> | undefined,
  key: string,
): string | undefined {
  const where = `input[${index}]`
  if (item.type === 'item_reference') return `Item with id '${item.id}' not found. Items are not persisted.`
  if (item.type === 'reasoning') return refusedThought(item, next, key)
  if (item.type === 'function_call') return refusedCall(item, where)
  if (item.type === 'function_call_output') return refusedContent(item.output, where)
  if (!['system', 'developer', 'user', 'assistant'].includes(String(item.role))) return `Invalid value: '${item.role}'.`
  return refusedContent(item.content, where)
}

function refusedThought(
  item: Record<string, unknown>,
  next: Record<string, unknown> | undefined,
  key: string,
): string | undefined {
  const id = String(item.id)
  if (item.encrypted_content !== sealOf(id, key)) {
    return `The encrypted content for item ${id} could not be verified. Reason: Encrypted content organization_id did not match the target organization.`
  }
  const follows = next?.type === 'reasoning' || next?.type === 'function_call' || next?.role === 'assistant'
  return follows ? undefined : `Item '${id}' of type 'reasoning' was provided without its required following item.`
}

function refusedCall(item: Record<string, unknown>, where: string): string | undefined {
  const id = item.call_id
  if (typeof id !== 'string' || id === '') return `Missing required parameter: '${where}.call_id'.`
  if (id.length > ID_LENGTH) return `Invalid '${where}.call_id': string too long.`
  if (!NAME.test(String(item.name))) return `Invalid '${where}.name': string does not match pattern.`
  try {
    return isRecord(JSON.parse(String(item.arguments))) ? undefined : `Invalid '${where}.arguments': not an object.`
  } catch {
    return `Invalid '${where}.arguments': not JSON.`
  }
}

function refusedContent(content: unknown, where: string): string | undefined {
  if (typeof content === 'string') return content.trim() === '' ? `Invalid '${where}.content': empty.` : undefined
  if (!Array.isArray(content) || content.length === 0) return `Invalid '${where}.content': empty array.`
  for (const part of listOf(content)) {
    if (part.type === 'input_text' && String(part.text).trim() === '')
      return `Invalid '${where}.content[0].text': empty.`
    if (part.type === 'input_image' && !/^data:image\/(png|jpeg|gif|webp);base64,/.test(String(part.image_url))) {
      return `Invalid '${where}.content[0].image_url'. Expected a base64-encoded data URL with an image MIME type.`
    }
  }
  return undefined
}
