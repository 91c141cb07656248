import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { LanguageModelV4Message, LanguageModelV4ToolCall } from '@ai-sdk/provider'
import { MODEL } from '../house.ts'
import { openFloorLog } from './floor-log.ts'
import { add, type Job, MAX_TOKENS, type Variant } from './job.ts'

/** The second floor: the provider package that ours uses too, under the simplest loop. */
export async function openDoStream(job: Job): Promise<Variant> {
  const log = openFloorLog<LanguageModelV4Message>(job.folder)
  const talks = new Map<string, LanguageModelV4Message[]>()
  const provider = createOpenAICompatible({
    name: 'lab',
    baseURL: job.vendor,
    apiKey: 'test-key',
    includeUsage: true,
  })
  const model = provider(MODEL)
  const tools = job.tools.map((tool) => ({ type: 'function' as const, ...tool }))
  const system: LanguageModelV4Message = { role: 'system', content: job.system }

  async function call(messages: readonly LanguageModelV4Message[]) {
    const { stream } = await model.doStream({ prompt: [system, ...messages], tools, maxOutputTokens: MAX_TOKENS })
    let text = ''
    const calls: LanguageModelV4ToolCall[] = []
    for await (const part of stream) {
      if (part.type === 'error') throw part.error
      if (part.type === 'text-delta') text += part.delta
      if (part.type === 'tool-call') calls.push(part)
    }
    return { text, calls }
  }

  return {
    async open(talk, history) {
      for (const { role, text } of history) log.append(talk, role, { role, content: [{ type: 'text', text }] })
    },
    async converse(talk, text) {
      const messages = talks.get(talk) ?? log.load(talk)
      talks.set(talk, messages)
      const push = (message: LanguageModelV4Message): void => {
        log.append(talk, message.role, message)
        messages.push(message)
      }
      push({ role: 'user', content: [{ type: 'text', text: `[message from human]\n${text}` }] })
      for (;;) {
        const answer = await call(messages)
        const inputs = answer.calls.map(({ input }) => JSON.parse(input) as { a: number; b: number })
        push({
          role: 'assistant',
          content: [
            { type: 'text', text: answer.text },
            ...answer.calls.map(({ toolCallId, toolName }, at) => ({
              type: 'tool-call' as const,
              toolCallId,
              toolName,
              input: inputs[at],
            })),
          ],
        })
        if (answer.calls.length === 0) return
        for (const [at, { toolCallId, toolName }] of answer.calls.entries()) {
          const output = { type: 'text' as const, value: add(inputs[at]!) }
          push({ role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output }] })
        }
      }
    },
    stored: async (talk) => log.stored(talk),
    bytes: log.bytes,
    close: async () => log.close(),
  }
}
