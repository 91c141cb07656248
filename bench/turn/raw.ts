import { MODEL } from '../house.ts'
import { openFloorLog } from './floor-log.ts'
import { add, type Job, MAX_TOKENS, type Variant } from './job.ts'

interface WireMessage {
  role: 'system' | 'user' | 'assistant' | 'tool'
  content: string
  tool_calls?: WireCall[]
  tool_call_id?: string
}

interface WireCall {
  id: string
  type: 'function'
  function: { name: string; arguments: string }
}

/** The first floor: a loop anyone could write by hand, with no library and no failure in mind. */
export async function openRaw(job: Job): Promise<Variant> {
  const log = openFloorLog<WireMessage>(job.folder)
  const talks = new Map<string, WireMessage[]>()
  const tools = job.tools.map(({ inputSchema, ...tool }) => ({
    type: 'function',
    function: { ...tool, parameters: inputSchema },
  }))

  async function call(messages: readonly WireMessage[]): Promise<WireMessage> {
    const response = await fetch(`${job.vendor}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer test-key' },
      body: JSON.stringify({
        model: MODEL,
        max_tokens: MAX_TOKENS,
        messages: [{ role: 'system', content: job.system }, ...messages],
        tools,
        stream: true,
        stream_options: { include_usage: true },
      }),
    })
    if (!response.ok || response.body === null) throw new Error(`${response.status} ${await response.text()}`)
    return read(response.body)
  }

  return {
    async open(talk, history) {
      for (const { role, text } of history) log.append(talk, role, { role, content: text })
    },
    async converse(talk, text) {
      const messages = talks.get(talk) ?? log.load(talk)
      talks.set(talk, messages)
      const push = (message: WireMessage): void => {
        log.append(talk, message.role, message)
        messages.push(message)
      }
      push({ role: 'user', content: `[message from human]\n${text}` })
      for (;;) {
        const answer = await call(messages)
        push(answer)
        if (answer.tool_calls === undefined) return
        for (const { id, function: asked } of answer.tool_calls) {
          push({ role: 'tool', tool_call_id: id, content: add(JSON.parse(asked.arguments)) })
        }
      }
    },
    stored: async (talk) => log.stored(talk),
    bytes: log.bytes,
    close: async () => log.close(),
  }
}

interface Chunk {
  choices: { delta: { content?: string; tool_calls?: (Partial<WireCall> & { index: number })[] } }[]
}

async function read(body: ReadableStream<Uint8Array>): Promise<WireMessage> {
  const answer: WireMessage = { role: 'assistant', content: '' }
  const decoder = new TextDecoder()
  let rest = ''
  for await (const bytes of body) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n')
    rest = lines.pop()!
    for (const line of lines) {
      if (line.startsWith('data: ') && line !== 'data: [DONE]') take(answer, JSON.parse(line.slice(6)) as Chunk)
    }
  }
  return answer
}

function take(answer: WireMessage, chunk: Chunk): void {
  const delta = chunk.choices[0]?.delta
  answer.content += delta?.content ?? ''
  for (const { index, id = '', function: piece } of delta?.tool_calls ?? []) {
    answer.tool_calls ??= []
    answer.tool_calls[index] ??= { id, type: 'function', function: { name: piece?.name ?? '', arguments: '' } }
    answer.tool_calls[index].function.arguments += piece?.arguments ?? ''
  }
}
