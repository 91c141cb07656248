import type { SessionId } from '../../contract/ids.ts'
import type { From } from '../../contract/messages.ts'
import type { Questions } from '../../contract/sessions.ts'
import type { Chain } from '../base/index.ts'
import type { Charge } from '../spending/index.ts'
import type { ChainLimits } from './chains.ts'
import type { Alone } from './unattended.ts'

export interface MailDraft {
  readonly to: SessionId
  /** Set by the runtime, never by content. */
  readonly from: From
  readonly content: string
  readonly followup?: boolean | undefined
  readonly interrupt?: boolean | undefined
  /** Seconds after which it is no longer worth reading. */
  readonly ttl?: number | undefined
  readonly replyTo?: string | undefined
  readonly clientId?: string | undefined
  /** The chain that the mail continues; without one it begins a chain. */
  readonly chain?: Chain | undefined
  /** The person who sends the mail does not attend to what comes of it. */
  readonly unattended?: Alone | undefined
  /** What the person says, with the mail, about questions of the session that nobody answers. */
  readonly questions?: Questions | undefined
  /** How far the chain may go. Mail of the system has no such limit. */
  readonly limits?: ChainLimits | undefined
  /** The sender waits for the answer: by a call of its own, or over HTTP. */
  readonly ask?: { readonly callId?: string | undefined; readonly until: number } | undefined
  /** What others spent on what the mail tells. */
  readonly spent?: Charge | undefined
}
