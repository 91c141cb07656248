import type { TextSoFar, Writing } from '../../../src/client/writing.ts'
import type { Event } from '../../../src/contract/events.ts'
import type { Mail } from '../../../src/contract/mail.ts'
import type { Message } from '../../../src/contract/messages.ts'
import { now } from '../live/clock.ts'

/** A conversation as the page shows it: the newest messages, what happened besides, and what is being written. */
export interface Log {
  readonly messages: readonly Message[]
  /** There are older messages on the server. */
  readonly more: boolean
  /** The newest message of which is known; its body may be on its way. */
  readonly newest: number
  /** Messages that a person changed; their bodies are on their way. */
  readonly changed: readonly number[]
  readonly remarks: readonly Event[]
  readonly calls: Readonly<Record<string, CallNow>>
  /** Until the body of its message is there. */
  readonly writing: Writing | undefined
  /** Accepted and not read yet. */
  readonly waiting: readonly Waiting[]
  /** The last that were read: the answer to whoever sent one may come after the word that it was read. */
  readonly read: readonly string[]
}

/** What events tell of a call beyond its input and its result. */
export interface CallNow {
  readonly state: 'running' | 'waiting' | 'done' | 'failed' | 'denied'
  readonly name: string
  readonly preview: string
  readonly startedAt: string
  readonly durationMs?: number
  readonly problem?: string
  /** While it waits: what the person is asked for it. */
  readonly inboxId?: string | undefined
  /** What it printed so far. */
  readonly output?: TextSoFar
  /** The sessions that work for it. */
  readonly sessions?: readonly string[]
}

export type Waiting = Pick<Mail, 'id' | 'content' | 'from' | 'outcome' | 'createdAt'>

/** The model is asked as soon as the message before is there. */
export const writingSince = ({ messages }: Pick<Log, 'messages'>): string =>
  messages.at(-1)?.createdAt ?? new Date(now()).toISOString()
