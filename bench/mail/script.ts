import type { Reply, SeenRequest } from '../../test/kit/vendor/reply.ts'
import { HOLD } from './job.ts'

/** Runs inside the vendor's process: it calls the tool HOLD when it is told to, and else just answers. */
export default function script({ messages }: SeenRequest): Reply {
  const last = messages.at(-1)
  if (last?.role === 'user' && last.text.endsWith(HOLD)) return { text: '', calls: [{ name: HOLD, input: {} }] }
  return { text: 'Good.', chunks: 1 }
}
