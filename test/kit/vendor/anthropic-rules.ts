import { createHash } from 'node:crypto'
import { isRecord, listOf } from './reply.ts'

const ID = /^[a-zA-Z0-9_-]+$/
const NAME = /^[a-zA-Z0-9_-]{1,128}$/
const IMAGES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp']

/** The signature this stand-in gives a thinking block, and demands back with it. */
export const signatureOf = (thinking: string): string => createHash('sha256').update(thinking).digest('base64')

/** Why the messages API would refuse this body with 400, or undefined. */
export function refusedByAnthropic(body: Record<string, unknown>): string | undefined {
  if (typeof body.model !== 'string' || body.model === '') return 'model: Field required'
  if (!Number.isInteger(body.max_tokens) || Number(body.max_tokens) < 1) return 'max_tokens: Field required'
  for (const block of listOf(body.system)) {
    if (isBlank(block.text)) return 'system: text content blocks must be non-empty'
  }
  const names = listOf(body.tools).map((tool) => tool.name)
  if (names.some((name) => typeof name !== 'string' || !NAME.test(name))) return 'tools.0.name: bad pattern'
  if (new Set(names).size !== names.length) return 'tools: Tool names must be unique.'
  const messages = body.messages
  if (!Array.isArray(messages) || messages.length === 0) return 'messages: at least one message is required'
  return refusedOrder(listOf(messages)) ?? refusedBlocks(listOf(messages), names.length > 0)
}

function refusedOrder(messages: readonly Record<string, unknown>[]): string | undefined {
  for (const [index, message] of messages.entries()) {
    if (message.role !== 'user' && message.role !== 'assistant') {
      return `messages.${index}.role: Input should be 'user' or 'assistant'`
    }
    if (index > 0 && messages[index - 1]?.role === message.role) {
      return 'messages: roles must alternate between "user" and "assistant"'
    }
  }
  if (messages[0]?.role !== 'user') return 'messages: first message must use the "user" role'
  if (messages.at(-1)?.role === 'assistant') {
    return 'This model does not support assistant message prefill. The conversation must end with a user message.'
  }
  return undefined
}

function refusedBlocks(messages: readonly Record<string, unknown>[], hasTools: boolean): string | undefined {
  const everyId = new Set<string>()
  let open: string[] = []
  for (const [index, message] of messages.entries()) {
    const blocks = typeof message.content === 'string' ? [textBlock(message.content)] : listOf(message.content)
    if (blocks.length === 0) return `messages.${index}: all messages must have non-empty content`
    const reason = message.role === 'user' ? refusedUser(blocks, open, index) : refusedAssistant(blocks, index, everyId)
    if (reason) return reason
    open = blocks.filter((block) => block.type === 'tool_use').map((block) => String(block.id))
    if (open.length > 0 && !hasTools) {
      return 'Requests which include `tool_use` or `tool_result` blocks must define tools'
    }
  }
  return undefined
}

const textBlock = (text: string): Record<string, unknown> => ({ type: 'text', text })

function refusedUser(blocks: readonly Record<string, unknown>[], open: readonly string[], index: number) {
  const left = new Set(open)
  let past = false
  for (const block of blocks) {
    if (block.type !== 'tool_result') {
      past = true
      const reason = refusedBlock(block, `messages.${index}`)
      if (reason) return reason
      continue
    }
    const id = String(block.tool_use_id)
    if (past) return `messages.${index}: \`tool_result\` blocks must come before other content`
    if (!open.includes(id)) {
      return `messages.${index}.content.0: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`
    }
    if (!left.delete(id)) return `messages.${index}.content.0: each tool_use must have a single result: ${id}`
    const reason = refusedResult(block, `messages.${index}`)
    if (reason) return reason
  }
  if (left.size === 0) return undefined
  return `messages.${index - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${[...left].join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`
}

function refusedAssistant(blocks: readonly Record<string, unknown>[], index: number, everyId: Set<string>) {
  if (blocks.at(-1)?.type === 'thinking') {
    return `messages.${index}: The final block in an assistant message cannot be \`thinking\`.`
  }
  for (const block of blocks) {
    if (block.type === 'thinking' && block.signature !== signatureOf(String(block.thinking))) {
      return `messages.${index}.content.0: Invalid \`signature\` in \`thinking\` block`
    }
    if (block.type === 'tool_use') {
      const id = String(block.id)
      if (!ID.test(id)) return `messages.${index}.content.0.tool_use.id: String should match pattern '${ID.source}'`
      if (everyId.has(id)) return `messages.${index}.content.0: \`tool_use\` ids must be unique`
      if (!NAME.test(String(block.name))) return `messages.${index}.content.0.tool_use.name: bad pattern`
      if (!isRecord(block.input))
        return `messages.${index}.content.0.tool_use.input: Input should be a valid dictionary`
      everyId.add(id)
    }
    const reason = refusedBlock(block, `messages.${index}`)
    if (reason) return reason
  }
  return undefined
}

function refusedResult(block: Record<string, unknown>, where: string): string | undefined {
  const { content } = block
  if (block.is_error && (content === undefined || content === '' || (Array.isArray(content) && content.length === 0))) {
    return `${where}.content.0.tool_result: content cannot be empty if \`is_error\` is true`
  }
  for (const part of listOf(content)) {
    const reason = refusedBlock(part, where)
    if (reason) return reason
  }
  return undefined
}

function refusedBlock(block: Record<string, unknown>, where: string): string | undefined {
  if (block.type === 'text' && isBlank(block.text))
    return `${where}: text content blocks must contain non-whitespace text`
  if (block.type === 'image' && isRecord(block.source) && !IMAGES.includes(String(block.source.media_type))) {
    return `${where}.content.0.image.source.base64.media_type: Input should be ${IMAGES.join(', ')}`
  }
  return undefined
}

const isBlank = (text: unknown): boolean => typeof text !== 'string' || text.trim() === ''
