import type { Answered } from '../client/calls.ts'
import type { Reply } from '../contract/api.ts'
import { exits, Failure } from './failure.ts'

/** What becomes of mail to a session. Mail to a person, and questions of a session, have no such reply. */
export function replyIn(result: Answered<'POST /api/mail'>): Reply {
  if ('ended' in result) return result
  throw new Failure(exits.failed, 'There is no reply to wait for: this went to an inbox.', {
    code: 'cli.no_reply',
    hint: 'Send it without waiting.',
  })
}
