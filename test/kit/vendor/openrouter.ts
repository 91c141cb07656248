import { signatureOf } from './anthropic-rules.ts'
import { failure } from './failures.ts'
import { openaiEvents, seenByOpenAI } from './openai.ts'
import { isRecord, listOf, pieces, type Reply, type SeenRequest } from './reply.ts'

const FORMAT = 'anthropic-claude-v1'

/** The broker speaks chat completions, with thoughts of its own shape. */
export function seenByOpenRouter(body: Record<string, unknown>, key: string, number: number): SeenRequest {
  const seen = seenByOpenAI(body, key, number)
  const all = listOf(body.messages).filter(({ role }) => role !== 'system')
  for (const [at, message] of all.entries()) {
    const told = seen.messages[at]
    if (told && typeof message.reasoning === 'string') told.reasoning = message.reasoning
  }
  return { ...seen, protocol: 'openrouter' }
}

export function openrouterEvents(reply: Reply, request: SeenRequest, nextId: () => string): string[] {
  const { reasoning, error, ...rest } = reply
  const [first = '', ...others] = openaiEvents(rest, request, nextId)
  const head = {
    id: `gen-${request.number}`,
    provider: 'Stand-in',
    model: request.model,
    object: 'chat.completion.chunk',
  }
  const chunk = (delta: Record<string, unknown>, finish: string | null, more = {}): string =>
    `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta, finish_reason: finish }], ...more })}\n\n`
  const detail = (fields: Record<string, unknown>) => [{ type: 'reasoning.text', format: FORMAT, index: 0, ...fields }]
  const thoughts = pieces(reasoning ?? '', reply.chunks).map((text) =>
    chunk({ reasoning: text, reasoning_details: detail({ text }) }, null),
  )
  if (reasoning) thoughts.push(chunk({ reasoning_details: detail({ signature: signatureOf(reasoning) }) }, null))
  // Before the first word the broker says in comments that it still works.
  const alive = [': OPENROUTER PROCESSING\n\n', ': OPENROUTER PROCESSING\n\n']
  const events = [...alive, first, ...thoughts, ...others.map((event) => priced(event, reply))]
  if (!error) return events
  const { body } = failure('openrouter', error, request.key)
  const spoken = events.slice(0, -3)
  return [...spoken, chunk({ role: 'assistant', content: '' }, 'error', body), 'data: [DONE]\n\n']
}

/** The broker's usage says what the answer cost. */
function priced(event: string, { cost }: Reply): string {
  return cost === undefined ? event : event.replace('"usage":{', `"usage":{"cost":${cost},`)
}

/** What the broker refuses besides what a chat-completions server refuses. */
export function refusedThoughts(body: Record<string, unknown>): string | undefined {
  for (const message of listOf(body.messages)) {
    for (const detail of listOf(message.reasoning_details)) {
      if (!isRecord(detail) || detail.format !== FORMAT) return 'Unknown reasoning format.'
      if (detail.signature !== signatureOf(String(detail.text))) return 'Invalid `signature` in `thinking` block'
    }
  }
  return undefined
}
