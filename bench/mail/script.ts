import type { Reply, SeenRequest } from '../../test/kit/vendor/reply.ts'
import { HOLD } from './job.ts'

/** Run inside the vendor's process: holds when it is told to, and is content with everything else. */
export default function script({ messages }: SeenRequest): Reply {
  const last = messages.at(-1)
  if (last?.role === 'user' && last.text.endsWith(HOLD)) return { text: '', calls: [{ name: HOLD, input: {} }] }
  return { text: 'Good.', chunks: 1 }
}
