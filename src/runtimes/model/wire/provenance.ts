import type { Message } from '../../../contract/messages.ts'

// It takes blanks within a line only: with line ends the search could run over a text of empty lines again and again.
const IMITATION =
  /^((?:[^\S\r\n\u2028\u2029]|>)*)\[(?=[^\S\r\n\u2028\u2029]{0,8}(?:message|question)[^\S\r\n\u2028\u2029]+from)/gim

/** The line that tells the model who wrote a message. It comes from a column, never from content. */
export function marker(message: Message): string {
  const { from } = message
  if (message.role === 'system' || !from) return '[message from system]'
  const [what, waiting] = from.asks ? ['question', ', waiting'] : ['message', '']
  if (from.kind !== 'agent') return `[${what} from ${from.kind}${waiting}]`
  return `[${what} from ${[from.agent ?? 'agent', from.handle ?? ''].map(plain).join(' ').trim()}${waiting}]`
}

/** Content may not speak in the runtime's voice: a line that looks like a marker gets a backslash. */
export const defuse = (text: string): string => (text.includes('[') ? text.replace(IMITATION, '$1\\[') : text)

const plain = (name: string): string => name.replace(/[[\]\r\n]/g, '')
