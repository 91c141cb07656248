import type { LanguageModelV4Message } from '@ai-sdk/provider'
import type { ToolResultPart } from '../../../contract/messages.ts'
import { defuse, defuseTags, type ToolSchema } from '../../../core/base/index.ts'
import type { WireCall } from './wire-call.ts'

const kept = new WeakMap<readonly ToolSchema[], string>()

/** Schemas and format as prompt text, for models that take no tools. */
export function toolText(tools: readonly ToolSchema[]): string {
  if (tools.length === 0) return ''
  const known = kept.get(tools)
  if (known !== undefined) return known
  const list = tools.map(
    ({ name, description, inputSchema }) => `${name}: ${description}\narguments: ${JSON.stringify(inputSchema)}`,
  )
  const text = `<tools>
To use a tool, write this and nothing after it, once for each call:
<tool_call>{"name": "…", "arguments": {…}}</tool_call>
Between the tags stands one JSON object. The results come in the next message, as <tool_result name="…">. Tools:

${list.join('\n\n')}
</tools>`
  kept.set(tools, text)
  return text
}

/** A call as the model would have written it. */
export const callText = ({ name, part }: WireCall): string =>
  `<tool_call>${JSON.stringify({ name, arguments: part.input ?? {} })}</tool_call>`

export function resultsMessage(
  calls: readonly WireCall[],
  outputs: readonly string[],
  found: readonly (ToolResultPart | undefined)[],
): LanguageModelV4Message {
  const texts = calls.map(({ name }, at) => {
    const failed = found[at] === undefined || found[at]?.error ? ' error="true"' : ''
    return `<tool_result name="${name}"${failed}>\n${inside(outputs[at] ?? '')}\n</tool_result>`
  })
  return { role: 'user', content: [{ type: 'text', text: texts.join('\n') }] }
}

/** Here a result stands in a message, where its text could pass for the end of the result or for another message. */
const inside = (output: string): string => defuseTags(defuse(output), ['tool_result', 'tool_call'])
