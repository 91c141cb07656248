import { isRecord, listOf } from './reply.ts'

const NAME = /^[a-zA-Z0-9_-]{1,64}$/
const ID_LENGTH = 40

/** Why a chat-completions server would refuse this body with 400, or undefined. */
export function refusedByOpenAI(body: Record<string, unknown>): string | undefined {
  if (typeof body.model !== 'string' || body.model === '') return 'you must provide a model parameter'
  if (body.tools !== undefined) {
    const reason = refusedTools(body.tools)
    if (reason) return reason
  }
  if (!Array.isArray(body.messages) || body.messages.length === 0) return "'messages' must contain at least one message"
  return refusedMessages(body.messages)
}

function refusedTools(tools: unknown): string | undefined {
  if (!Array.isArray(tools) || tools.length === 0) return '[] is too short - tools'
  const seen = new Set<unknown>()
  for (const tool of listOf(tools)) {
    const fn = tool.function
    if (tool.type !== 'function' || !isRecord(fn)) return "Missing required parameter: 'tools[0].function'"
    if (typeof fn.name !== 'string' || !NAME.test(fn.name)) return `Invalid 'tools[0].function.name': ${fn.name}`
    if (seen.has(fn.name)) return `Duplicate tool name: ${fn.name}`
    if (fn.parameters !== undefined && !isRecord(fn.parameters)) return `Invalid schema for function '${fn.name}'`
    seen.add(fn.name)
  }
  return undefined
}

function refusedMessages(messages: readonly unknown[]): string | undefined {
  const everyId = new Set<string>()
  let open = new Set<string>()
  for (const [index, message] of messages.entries()) {
    if (!isRecord(message)) return `Invalid type for 'messages[${index}]'`
    if (message.role === 'tool') {
      const id = message.tool_call_id
      if (typeof id !== 'string' || !open.delete(id)) {
        return `Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'. (messages[${index}], ${id})`
      }
      const reason = refusedContent(message.content, index)
      if (reason) return reason
      continue
    }
    if (open.size > 0) return unanswered(open)
    const reason = refusedMessage(message, index)
    if (reason) return reason
    open = new Set()
    for (const call of listOf(message.tool_calls)) {
      const id = String(call.id)
      if (everyId.has(id)) return `Duplicate value for 'tool_call_id' of '${id}'`
      everyId.add(id)
      open.add(id)
    }
  }
  return open.size > 0 ? unanswered(open) : undefined
}

const unanswered = (open: Set<string>): string =>
  `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...open].join(', ')}`

function refusedMessage(message: Record<string, unknown>, index: number): string | undefined {
  switch (message.role) {
    case 'system':
    case 'developer':
    case 'user':
      return refusedContent(message.content, index)
    case 'assistant':
      return refusedAssistant(message, index)
    default:
      return `Invalid value: '${message.role}'. Supported values are: 'system', 'assistant', 'user', 'tool' (messages[${index}].role)`
  }
}

function refusedAssistant(message: Record<string, unknown>, index: number): string | undefined {
  if (message.tool_calls === undefined) return refusedContent(message.content, index)
  if (!Array.isArray(message.tool_calls) || message.tool_calls.length === 0) {
    return `Invalid 'messages[${index}].tool_calls': empty array`
  }
  for (const call of listOf(message.tool_calls)) {
    const fn = call.function
    if (typeof call.id !== 'string' || call.id === '') return `Missing 'messages[${index}].tool_calls[0].id'`
    if (call.id.length > ID_LENGTH) return `Invalid 'messages[${index}].tool_calls[0].id': string too long`
    if (call.type !== 'function' || !isRecord(fn)) return `Missing 'messages[${index}].tool_calls[0].function'`
    if (typeof fn.name !== 'string' || !NAME.test(fn.name)) {
      return `Invalid 'messages[${index}].tool_calls[0].function.name': string does not match pattern '${NAME.source}'`
    }
    if (!isJsonObject(fn.arguments))
      return `Invalid 'messages[${index}].tool_calls[0].function.arguments': not an object`
  }
  return undefined
}

function refusedContent(content: unknown, index: number): string | undefined {
  if (typeof content === 'string') {
    return content.trim() === '' ? `Invalid 'messages[${index}].content': empty string` : undefined
  }
  if (!Array.isArray(content) || content.length === 0) return `Invalid value for 'messages[${index}].content'`
  for (const part of listOf(content)) {
    if (part.type === 'text' && (typeof part.text !== 'string' || part.text.trim() === '')) {
      return `Invalid 'messages[${index}].content': empty text part`
    }
  }
  return undefined
}

function isJsonObject(text: unknown): boolean {
  try {
    return typeof text === 'string' && isRecord(JSON.parse(text))
  } catch {
    return false
  }
}
