import { handleEvent } from './event-handlers.ts'
import type { Event, EventType } from './events.ts'

/** What happened in a conversation besides its messages: a turn that broke off, another model, a wait. */
export interface Remark {
  readonly kind: 'failed' | 'stopped' | 'switched' | 'waits' | 'note'
  readonly text: string
}

/** The events that `remarkOf` has words for. */
export const remarkTypes = [
  'turn.ended',
  'model.retried',
  'model.queued',
  'model.switched',
  'mail.undeliverable',
  'inbox.added',
  'session.compacted',
  'compaction.failed',
] as const satisfies EventType[]

/** The same words whether the event is new or years old; undefined for what needs no words. */
export const remarkOf = (event: Event): Remark | undefined =>
  handleEvent<Remark | undefined>(
    {
      'turn.ended': ({ end, reason }) => endRemark(end, reason),
      'model.retried': ({ model, waitMs, reason }) => ({
        kind: 'waits',
        text: `${model} is asked again${after(waitMs)}: ${reason}`,
      }),
      'model.queued': ({ model, until, reason }, { at }) => ({
        kind: 'waits',
        text: `${model} is asked${after(Date.parse(until) - Date.parse(at))}: ${reason}`,
      }),
      'model.switched': ({ from, to, reason }) => ({
        kind: 'switched',
        text: `Now with ${to} instead of ${from}: ${reason}`,
      }),
      'mail.undeliverable': ({ reason }) => ({ kind: 'failed', text: `A message could not be delivered: ${reason}` }),
      'session.compacted': ({ summedUp, tokensBefore, tokensAfter }) => ({
        kind: 'note',
        text: `Compacted: ${summedUp > 0 ? `${count(summedUp, 'older message')} summed up` : 'old results cut'}, from about ${tokensBefore} to ${tokensAfter} tokens. The log is whole.`,
      }),
      'compaction.failed': ({ reason }) => ({ kind: 'failed', text: `Not compacted, all is as it was: ${reason}` }),
      'inbox.added': ({ kind, title }) => (kind === 'notice' ? { kind: 'note', text: title } : undefined),
    },
    event,
  )

/** Nothing for a turn that ended as it should. */
export const endRemark = (end: string, reason: string): Remark | undefined =>
  end === 'done'
    ? undefined
    : { kind: end === 'canceled' || end === 'closed' ? 'stopped' : 'failed', text: endInWords(end, reason) }

/** How a turn ended. The reason is left out where it only repeats the end. */
const endInWords = (end: string, reason: string): string =>
  !reason || reason.toLowerCase() === `it was ${end}.` ? end : `${end}: ${reason}`

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`

/** Shorter pauses are not worth a word. */
const SHORT_MS = 2000

const after = (ms: number): string => (ms < SHORT_MS ? '' : ` in ${Math.ceil(ms / 1000)} s`)
