import type { Reply, SeenRequest } from '../../test/kit/vendor/reply.ts'
import { CALLS, TOOL } from './job.ts'

let given = 0

/** Runs inside the vendor's process and gives every call a number of its own, over all rounds. */
export default function script({ messages }: SeenRequest): Reply {
  const since = messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1)
  const results = since.flatMap((message) => message.results)
  const wrong = results.find(({ text }) => !text.startsWith('Noted number '))
  if (wrong !== undefined) return { text: `A call was answered with "${wrong.text}".` }
  if (results.length >= CALLS) return { text: 'Noted all of it.' }
  return { text: 'Going on.', calls: [{ name: TOOL, input: { n: ++given } }] }
}
