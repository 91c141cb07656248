import { callsOf, type Message, type ToolResultPart, textOf } from '../../../contract/messages.ts'
import type { StepRequest } from '../../../core/base/index.ts'

/** What the demo says next, and the call it makes with it. */
export interface Move {
  readonly said: string
  readonly call?: { readonly name: string; readonly input: Record<string, unknown> }
}

/** A call that was made, with what came of it. */
export interface MadeCall {
  readonly name: string
  readonly input: Record<string, unknown>
  readonly output: unknown
  readonly failed: boolean
}

/** The calls in a piece of the log, in their order. */
export function madeIn(messages: readonly Message[]): MadeCall[] {
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? callsOf(message.parts) : []))
  return calls.map(({ callId, name, input }) => {
    const result = resultFor(messages, callId)
    const given = (input ?? {}) as Record<string, unknown>
    return { name, input: given, output: result?.output, failed: result?.error ?? false }
  })
}

export function resultFor(messages: readonly Message[], callId: string): ToolResultPart | undefined {
  for (const { parts } of messages) {
    for (const part of parts) if (part.type === 'tool-result' && part.callId === callId) return part
  }
  return undefined
}

/** What a kind of writer said, in a piece of the log. */
export const saidBy = (messages: readonly Message[], kind: 'human' | 'agent' | 'system'): string[] =>
  messages.filter(({ role, from }) => role === 'user' && from?.kind === kind).map(({ parts }) => textOf(parts))

/** What came of a call, in words. */
export function wordsIn(output: unknown): string {
  const { answer, content } = (output ?? {}) as Record<string, unknown>
  const said = answer ?? content ?? output
  return typeof said === 'string' ? said : (JSON.stringify(said) ?? '')
}

/** A tool that is not loaded can be called all the same; the prompt names it. */
export const hasTool = ({ tools, system }: Pick<StepRequest, 'tools' | 'system'>, name: string): boolean =>
  tools.some((tool) => tool.name === name) || new RegExp(`\\b${name}\\b`).test(system)

/** Makes a call, or says which tool is missing for it. */
export function begin({ tools }: Pick<StepRequest, 'tools'>, name: string, input: object, said: string): Move {
  if (tools.some((tool) => tool.name === name)) return { said, call: { name, input: { ...input } } }
  return { said: `I would use the tool ${name} for that, but I was not given it.` }
}
