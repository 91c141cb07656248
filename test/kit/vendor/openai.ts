import { failure } from './failures.ts'
import {
  argumentsOf,
  blankMessage,
  defaultUsage,
  isRecord,
  listOf,
  pieces,
  type Reply,
  type SeenMessage,
  type SeenRequest,
} from './reply.ts'

/** A request for chat completions in our words. */
export function seenByOpenAI(body: Record<string, unknown>, key: string, number: number): SeenRequest {
  const all = listOf(body.messages)
  const messages = all.filter((message) => message.role !== 'system').map(seenMessage)
  return {
    number,
    protocol: 'openai',
    model: String(body.model),
    key,
    system: all
      .filter((message) => message.role === 'system')
      .map((message) => textOf(message.content))
      .join('\n'),
    messages,
    tools: listOf(body.tools).map((tool) => (isRecord(tool.function) ? String(tool.function.name) : '')),
    maxTokens: typeof body.max_tokens === 'number' ? body.max_tokens : undefined,
    lastUserText: messages.findLast((message) => message.role === 'user')?.text ?? '',
    body,
  }
}

/** The reply as the server-sent events a chat-completions server would write. */
export function openaiEvents(reply: Reply, request: SeenRequest, nextId: () => string): string[] {
  const head = {
    id: `chatcmpl-${request.number}`,
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: request.model,
  }
  const delta = (fields: Record<string, unknown>, finish: string | null = null): string =>
    line({ ...head, choices: [{ index: 0, delta: fields, logprobs: null, finish_reason: finish }] })

  const events = [delta({ role: 'assistant', content: '' })]
  for (const piece of pieces(reply.reasoning ?? '', reply.chunks)) events.push(delta({ reasoning_content: piece }))
  for (const piece of pieces(reply.text ?? '', reply.chunks)) events.push(delta({ content: piece }))
  if (reply.garbage) events.push('data: {"id":"chatcmpl-1","choices":[{"del\n\n')
  for (const [index, call] of (reply.calls ?? []).entries()) {
    const id = call.id ?? `call_${nextId()}`
    events.push(delta({ tool_calls: [{ index, id, type: 'function', function: { name: call.name, arguments: '' } }] }))
    for (const piece of pieces(argumentsOf(call), 3)) {
      events.push(delta({ tool_calls: [{ index, function: { arguments: piece } }] }))
    }
  }
  if (reply.error) return [...events, line(failure('openai', reply.error, request.key).body)]
  events.push(delta({}, reply.finish ?? (reply.calls?.length ? 'tool_calls' : 'stop')))
  events.push(line({ ...head, choices: [], usage: usageOf(reply) }))
  events.push('data: [DONE]\n\n')
  return events
}

const line = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`

function usageOf(reply: Reply): Record<string, unknown> {
  const usage = { ...defaultUsage, ...reply.usage }
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cached },
    completion_tokens_details: { reasoning_tokens: usage.reasoning },
  }
}

function seenMessage(message: Record<string, unknown>): SeenMessage {
  if (message.role === 'tool') {
    const result = { id: String(message.tool_call_id), text: textOf(message.content), error: false }
    return { ...blankMessage('tool'), results: [result] }
  }
  return {
    ...blankMessage(message.role === 'assistant' ? 'assistant' : 'user'),
    text: textOf(message.content),
    reasoning: typeof message.reasoning_content === 'string' ? message.reasoning_content : '',
    calls: listOf(message.tool_calls).map((call) => {
      const fn = isRecord(call.function) ? call.function : {}
      return { id: String(call.id), name: String(fn.name), input: JSON.parse(String(fn.arguments)) as unknown }
    }),
    files: listOf(message.content).filter((part) => part.type !== 'text').length,
  }
}

const textOf = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : listOf(content)
        .filter((part) => part.type === 'text')
        .map((part) => String(part.text))
        .join('\n')
