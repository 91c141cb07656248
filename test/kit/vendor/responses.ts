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
import { sealOf } from './responses-rules.ts'

/** A request to the responses API in our words. The items of one answer become one message again. */
export function seenByResponses(body: Record<string, unknown>, key: string, number: number): SeenRequest {
  const items = listOf(body.input)
  const messages: SeenMessage[] = []
  const assistant = (): SeenMessage => {
    const last = messages.at(-1)
    if (last?.role === 'assistant') return last
    const made = blankMessage('assistant')
    messages.push(made)
    return made
  }
  for (const item of items) {
    if (item.role === 'assistant') assistant().text += textOf(item.content)
    else if (item.type === 'reasoning') assistant().reasoning += textOf(item.summary)
    else if (item.type === 'function_call') {
      const input = JSON.parse(String(item.arguments)) as unknown
      assistant().calls.push({ id: String(item.call_id), name: String(item.name), input })
    } else if (item.type === 'function_call_output') {
      const result = { id: String(item.call_id), text: textOf(item.output), error: false }
      messages.push({ ...blankMessage('tool'), results: [result], files: filesIn(item.output) })
    } else if (item.role === 'user') {
      messages.push({ ...blankMessage('user'), text: textOf(item.content), files: filesIn(item.content) })
    }
  }
  const system = items.filter(({ role }) => role === 'system' || role === 'developer')
  return {
    number,
    protocol: 'responses',
    model: String(body.model),
    key,
    system: system.map(({ content }) => textOf(content)).join('\n'),
    messages,
    tools: listOf(body.tools).map((tool) => String(tool.name)),
    maxTokens: typeof body.max_output_tokens === 'number' ? body.max_output_tokens : undefined,
    lastUserText: messages.findLast((message) => message.role === 'user')?.text ?? '',
    body,
  }
}

/** The reply as the server-sent events of the responses API. */
export function responsesEvents(reply: Reply, request: SeenRequest, nextId: () => string): string[] {
  const events: string[] = []
  let sequence = 0
  const emit = (type: string, fields: Record<string, unknown>): void => {
    const data = { type, sequence_number: sequence++, ...fields }
    events.push(`event: ${type}\ndata: ${JSON.stringify(data)}\n\n`)
  }
  const response = {
    id: `resp_${request.number}`,
    created_at: 1_700_000_000,
    model: request.model,
    status: 'in_progress',
  }
  emit('response.created', { response })
  emit('response.in_progress', { response })
  let index = 0
  if (reply.reasoning) {
    const id = `rs_${nextId()}`
    const item = { type: 'reasoning', id, summary: [], encrypted_content: sealOf(id, request.key) }
    emit('response.output_item.added', { output_index: index, item: { ...item, encrypted_content: null } })
    emit('response.reasoning_summary_part.added', { item_id: id, output_index: index, summary_index: 0 })
    for (const delta of pieces(reply.reasoning, reply.chunks)) {
      emit('response.reasoning_summary_text.delta', { item_id: id, output_index: index, summary_index: 0, delta })
    }
    emit('response.reasoning_summary_part.done', { item_id: id, output_index: index, summary_index: 0 })
    emit('response.output_item.done', { output_index: index++, item })
  }
  if (reply.text) {
    const id = `msg_${nextId()}`
    const item = { type: 'message', id, status: 'in_progress', role: 'assistant', content: [] }
    emit('response.output_item.added', { output_index: index, item })
    for (const delta of pieces(reply.text, reply.chunks)) {
      emit('response.output_text.delta', { item_id: id, output_index: index, content_index: 0, delta, logprobs: [] })
    }
    emit('response.output_item.done', { output_index: index++, item: { ...item, status: 'completed' } })
  }
  if (reply.garbage) events.push('event: response.output_text.delta\ndata: {"type":"response.outp\n\n')
  for (const call of reply.calls ?? []) {
    const id = `fc_${nextId()}`
    const json = argumentsOf(call)
    const item = {
      type: 'function_call',
      id,
      call_id: call.id ?? `call_${nextId()}`,
      name: call.name,
      status: 'completed',
    }
    emit('response.output_item.added', { output_index: index, item: { ...item, arguments: '', status: 'in_progress' } })
    for (const delta of pieces(json, 3)) {
      emit('response.function_call_arguments.delta', { item_id: id, output_index: index, delta })
    }
    emit('response.function_call_arguments.done', { item_id: id, output_index: index, arguments: json })
    emit('response.output_item.done', { output_index: index++, item: { ...item, arguments: json } })
  }
  if (reply.error) {
    const { error } = failure('responses', reply.error, request.key).body as { error: Record<string, unknown> }
    emit('response.failed', {
      response: { ...response, status: 'failed', error: { code: error.code ?? error.type, message: error.message } },
    })
    return events
  }
  const incomplete = reply.finish ? { incomplete_details: { reason: reply.finish } } : {}
  emit(reply.finish ? 'response.incomplete' : 'response.completed', {
    response: { ...response, ...incomplete, usage: usageOf(reply) },
  })
  return events
}

function usageOf(reply: Reply): Record<string, unknown> {
  const usage = { ...defaultUsage, ...reply.usage }
  return {
    input_tokens: usage.input,
    input_tokens_details: { cached_tokens: usage.cached },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: usage.input + usage.output,
  }
}

const textOf = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : listOf(content)
        .filter((part) => typeof part.text === 'string')
        .map((part) => String(part.text))
        .join('\n')

const filesIn = (content: unknown): number =>
  listOf(content).filter((part) => part.type === 'input_image' || part.type === 'input_file').length
