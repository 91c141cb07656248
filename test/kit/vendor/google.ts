import { failure } from './failures.ts'
import { signatureFor } from './google-rules.ts'
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

/** A request to generateContent in our words. The model's name is in the path. */
export function seenByGoogle(body: Record<string, unknown>, key: string, number: number, model: string): SeenRequest {
  const messages = listOf(body.contents).map(seenMessage)
  const config = isRecord(body.generationConfig) ? body.generationConfig : {}
  return {
    number,
    protocol: 'google',
    model,
    key,
    system: isRecord(body.systemInstruction) ? textOf(listOf(body.systemInstruction.parts)) : '',
    messages,
    tools: listOf(body.tools).flatMap((tool) => listOf(tool.functionDeclarations).map(({ name }) => String(name))),
    maxTokens: typeof config.maxOutputTokens === 'number' ? config.maxOutputTokens : undefined,
    lastUserText: messages.findLast((message) => message.role === 'user')?.text ?? '',
    body,
  }
}

/** The reply as the server-sent events of streamGenerateContent. */
export function googleEvents(reply: Reply, request: SeenRequest): string[] {
  const usage = { ...defaultUsage, ...reply.usage }
  const head = { modelVersion: request.model, responseId: `resp${request.number}` }
  const chunk = (parts: unknown[], more: Record<string, unknown> = {}): string =>
    line({ candidates: [{ content: { parts, role: 'model' }, index: 0, ...more }], ...head })
  const events: string[] = []
  const thoughts = pieces(reply.reasoning ?? '', reply.chunks)
  for (const text of thoughts) events.push(chunk([{ text, thought: true }]))
  for (const text of pieces(reply.text ?? '', reply.chunks)) events.push(chunk([{ text }]))
  if (reply.garbage) events.push('data: {"candidates": [{"conte\n\n')
  for (const call of reply.calls ?? []) {
    const args = argsOf(argumentsOf(call))
    // A call comes in one piece, so one that was cut in half does not come at all.
    if (args === undefined) continue
    const functionCall = { name: call.name, args, ...(call.id ? { id: call.id } : {}) }
    events.push(chunk([{ functionCall, thoughtSignature: signatureFor({ functionCall }) }]))
  }
  if (reply.error) return [...events, line(failure('google', reply.error, request.key).body)]
  const usageMetadata = {
    promptTokenCount: usage.input,
    cachedContentTokenCount: usage.cached,
    candidatesTokenCount: usage.output - usage.reasoning,
    thoughtsTokenCount: usage.reasoning,
    totalTokenCount: usage.input + usage.output,
  }
  if (reply.finish === 'BLOCKED') {
    return [line({ promptFeedback: { blockReason: 'PROHIBITED_CONTENT' }, usageMetadata, ...head })]
  }
  const end = { content: { parts: [{ text: '' }], role: 'model' }, finishReason: reply.finish ?? 'STOP', index: 0 }
  events.push(line({ candidates: [end], usageMetadata, ...head }))
  return events
}

const line = (data: unknown): string => `data: ${JSON.stringify(data)}\r\n\r\n`

function argsOf(json: string): unknown {
  if (json === '') return {}
  try {
    return JSON.parse(json) as unknown
  } catch {
    return undefined
  }
}

function seenMessage(content: Record<string, unknown>): SeenMessage {
  const parts = listOf(content.parts)
  const files = parts.filter(({ inlineData }) => inlineData !== undefined).length
  const results = parts.flatMap(({ functionResponse }) =>
    isRecord(functionResponse) ? [resultOf(functionResponse)] : [],
  )
  if (content.role === 'model') {
    const calls = parts.flatMap(({ functionCall }) =>
      isRecord(functionCall)
        ? [{ id: String(functionCall.id ?? ''), name: String(functionCall.name), input: functionCall.args }]
        : [],
    )
    const reasoning = textOf(parts.filter(({ thought }) => thought === true))
    return {
      ...blankMessage('assistant'),
      text: textOf(parts.filter(({ thought }) => thought !== true)),
      reasoning,
      calls,
    }
  }
  if (results.length > 0) return { ...blankMessage('tool'), results, files }
  return { ...blankMessage('user'), text: textOf(parts), files }
}

function resultOf(response: Record<string, unknown>): SeenMessage['results'][number] {
  const inner = isRecord(response.response) ? response.response : {}
  const value = inner.error ?? inner.content ?? ''
  return {
    id: String(response.id ?? ''),
    text: typeof value === 'string' ? value : JSON.stringify(value),
    error: inner.error !== undefined,
  }
}

const textOf = (parts: readonly Record<string, unknown>[]): string =>
  parts
    .filter(({ text }) => typeof text === 'string')
    .map(({ text }) => String(text))
    .join('')
