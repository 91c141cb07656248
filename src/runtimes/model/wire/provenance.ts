import type { Message } from '../../../contract/messages.ts'

/** The line that tells the model who wrote a message. It comes from a column, never from content. */
export function marker(message: Message): string {
  const { from } = message
  if (message.role === 'system' || !from) return '[message from system]'
  const [what, waiting] = from.asks ? ['question', ', waiting'] : ['message', '']
  const agent = [from.agent ?? 'agent', from.handle ?? ''].map(plain).join(' ').trim()
  if (from.kind === 'agent') return `[${what} from ${agent}${waiting}]`
  // Who set it up decides how much its words count.
  const of = from.kind === 'trigger' && from.agent !== undefined ? ` of ${agent}` : ''
  return `[${what} from ${from.kind}${of}${waiting}]`
}

const plain = (name: string): string => name.replace(/[[\]\r\n]/g, '')
