import type { Answered } from '../client/calls.ts'
import type { Reply } from '../contract/api.ts'
import { exits, Failure } from './failure.ts'

/** The reply to mail that went to a session. Mail to a person, and a session's own question, have none. */
export function replyIn(result: Answered<'POST /api/mail'>): Reply {
  if ('ended' in result) return result
  throw new Failure(exits.failed, 'There is no reply to wait for: this went to an inbox.', {
    code: 'cli.no_reply',
    hint: 'Send it without waiting.',
  })
}
