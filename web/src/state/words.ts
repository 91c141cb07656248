import type { Message, Part, ToolCallPart } from '../../../src/contract/messages.ts'

/** The parts of a message by what they are. The contract's own functions bring its schemas, which the page does not load. */

export const textOf = (parts: readonly Part[]): string =>
  parts
    .filter((part) => part.type === 'text')
    .map(({ text }) => text)
    .join('')

export const callsOf = (parts: readonly Part[]): readonly ToolCallPart[] =>
  parts.filter((part) => part.type === 'tool-call')

export const reasoningOf = (parts: readonly Part[]): string =>
  parts
    .filter((part) => part.type === 'reasoning')
    .map(({ text }) => text)
    .join('\n\n')
    .trim()

/** What the person wrote, or another member, or Troupe itself. */
export const senderOf = ({ from, role }: Message): 'human' | 'agent' | 'trigger' | 'system' =>
  role === 'system' ? 'system' : (from?.kind ?? 'human')
