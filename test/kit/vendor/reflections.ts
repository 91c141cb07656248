import type { Reply, SeenMessage, SeenRequest } from './reply.ts'

/** What a worker of a run is asked when it has published a node: most tests are about something else. */

export const REFLECTION = 'You have published node_'

const isAsked = ({ role, text }: SeenMessage): boolean => role === 'user' && text.includes(REFLECTION)

/** Nobody else has written to it since it last spoke. */
export function asksToReflect({ messages }: SeenRequest): boolean {
  const since = messages.slice(messages.findLastIndex(({ role }) => role !== 'user') + 1)
  return since.some(isAsked) && !since.some((message) => !isAsked(message) && isWritten(message))
}

const isWritten = ({ text }: SeenMessage): boolean => /\[message from (?!system)/.test(text)

export const NOTHING_NOTED: Reply = { text: 'Nothing to note.', usage: { input: 0, output: 0 } }

/** The request as if nobody had been asked. */
export function withoutReflections(request: SeenRequest): SeenRequest {
  if (!request.messages.some(isAsked)) return request
  const messages = request.messages.filter(
    (message) => !isAsked(message) && !(message.role === 'assistant' && message.text === NOTHING_NOTED.text),
  )
  return { ...request, messages, lastUserText: messages.findLast(({ role }) => role === 'user')?.text ?? '' }
}
