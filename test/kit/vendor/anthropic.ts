import { signatureOf } from './anthropic-rules.ts'
import { failure } from './failures.ts'
import {
  argumentsOf,
  blankMessage,
  defaultUsage,
  listOf,
  pieces,
  type Reply,
  type SeenMessage,
  type SeenRequest,
} from './reply.ts'

/** A request to the messages API in our words. A user message is split into results and one message per text. */
export function seenByAnthropic(body: Record<string, unknown>, key: string, number: number): SeenRequest {
  const messages = listOf(body.messages).flatMap(seenMessages)
  return {
    number,
    protocol: 'anthropic',
    model: String(body.model),
    key,
    system: typeof body.system === 'string' ? body.system : textOf(body.system),
    messages,
    tools: listOf(body.tools).map((tool) => String(tool.name)),
    maxTokens: typeof body.max_tokens === 'number' ? body.max_tokens : undefined,
    lastUserText: messages.findLast((message) => message.role === 'user')?.text ?? '',
    body,
  }
}

/** The reply as the server-sent events of the messages API. */
export function anthropicEvents(reply: Reply, request: SeenRequest, nextId: () => string): string[] {
  const usage = { ...defaultUsage, ...reply.usage }
  const events = [
    event('message_start', {
      message: {
        id: `msg_${request.number}`,
        type: 'message',
        role: 'assistant',
        model: request.model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: {
          input_tokens: usage.input - usage.cached,
          cache_creation_input_tokens: 0,
          cache_read_input_tokens: usage.cached,
          output_tokens: 1,
        },
      },
    }),
    event('ping', {}),
  ]
  let index = 0
  const block = (start: Record<string, unknown>, deltas: Record<string, unknown>[]): void => {
    events.push(event('content_block_start', { index, content_block: start }))
    for (const delta of deltas) events.push(event('content_block_delta', { index, delta }))
    events.push(event('content_block_stop', { index }))
    index += 1
  }
  if (reply.reasoning) {
    const thoughts = pieces(reply.reasoning, reply.chunks).map((thinking) => ({ type: 'thinking_delta', thinking }))
    const signed = { type: 'signature_delta', signature: signatureOf(reply.reasoning) }
    block({ type: 'thinking', thinking: '', signature: '' }, [...thoughts, signed])
  }
  if (reply.text) {
    const words = pieces(reply.text, reply.chunks).map((text) => ({ type: 'text_delta', text }))
    block({ type: 'text', text: '' }, words)
  }
  if (reply.garbage) events.push('event: content_block_delta\ndata: {"type":"content_bl\n\n')
  for (const call of reply.calls ?? []) {
    const json = pieces(argumentsOf(call), 3).map((part) => ({ type: 'input_json_delta', partial_json: part }))
    block({ type: 'tool_use', id: call.id ?? `toolu_${nextId()}`, name: call.name, input: {} }, json)
  }
  if (reply.error) {
    const { body } = failure('anthropic', reply.error, request.key)
    return [...events, `event: error\ndata: ${JSON.stringify(body)}\n\n`]
  }
  const stop = reply.finish ?? (reply.calls?.length ? 'tool_use' : 'end_turn')
  const spent = { output_tokens: usage.output, output_tokens_details: { thinking_tokens: usage.reasoning } }
  events.push(event('message_delta', { delta: { stop_reason: stop, stop_sequence: null }, usage: spent }))
  events.push(event('message_stop', {}))
  return events
}

const event = (type: string, fields: Record<string, unknown>): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`

function seenMessages(message: Record<string, unknown>): SeenMessage[] {
  const blocks =
    typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : listOf(message.content)
  const of = (type: string): Record<string, unknown>[] => blocks.filter((block) => block.type === type)
  if (message.role === 'assistant') {
    const calls = of('tool_use').map((block) => ({
      id: String(block.id),
      name: String(block.name),
      input: block.input,
    }))
    const reasoning = of('thinking')
      .map((block) => String(block.thinking))
      .join('')
    return [{ ...blankMessage('assistant'), text: textOf(blocks), reasoning, calls }]
  }
  const results = of('tool_result').map((block) => ({
    id: String(block.tool_use_id),
    text: typeof block.content === 'string' ? block.content : textOf(block.content),
    error: block.is_error === true,
  }))
  const files = of('image').length + of('document').length
  const users = of('text').map((block) => ({ ...blankMessage('user'), text: String(block.text) }))
  if (users[0]) users[0].files = files
  return results.length > 0 ? [{ ...blankMessage('tool'), results }, ...users] : users
}

const textOf = (blocks: unknown): string =>
  listOf(blocks)
    .filter((block) => block.type === 'text')
    .map((block) => String(block.text))
    .join('\n')
