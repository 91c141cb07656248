import { endsWriting, foldText, foldWriting, nothingYet } from '../../../src/client/writing.ts'
import { handleEvent } from '../../../src/contract/event-handlers.ts'
import type { Delta, Event } from '../../../src/contract/events.ts'
import { remarkTypes } from '../../../src/contract/remarks.ts'
import { now } from '../live/clock.ts'
import type { CallNow, Log } from './log.ts'

const OUTPUT = 16_000
const REMARKS = 500
const READ = 100

export function foldEvent(log: Log, event: Event): Log {
  const { at } = event
  const seen = (remarkTypes as readonly string[]).includes(event.type)
    ? { ...log, remarks: [...log.remarks, event].slice(-REMARKS) }
    : log
  const call = (id: string, change: Partial<CallNow> & { name: string }): Log => {
    const before: Omit<CallNow, 'name'> = log.calls[id] ?? { state: 'running', preview: '', startedAt: at }
    return { ...seen, calls: { ...log.calls, [id]: { ...before, ...change } } }
  }
  const next = handleEvent<Log>(
    {
      'message.appended': ({ seq }) => ({
        ...log,
        newest: Math.max(log.newest, seq),
      }),
      'message.changed': ({ seq }) => ({ ...log, changed: [...log.changed, seq] }),
      'session.cleared': () => ({ ...log, messages: [], newest: 0, more: false, remarks: [], calls: {} }),
      'mail.taken': ({ mailId }) => without(log, mailId),
      'mail.answered': ({ mailId }) => without(log, mailId),
      'mail.expired': ({ mailId }) => without(log, mailId),
      'tool.started': ({ callId, name, preview }) => call(callId, { state: 'running', name, preview, startedAt: at }),
      'tool.ended': ({ callId, name, durationMs, ok, preview }) =>
        call(callId, {
          name,
          durationMs,
          state: ok ? 'done' : log.calls[callId]?.state === 'denied' ? 'denied' : 'failed',
          ...(!ok && { problem: log.calls[callId]?.problem ?? preview }),
        }),
      'tool.denied': ({ callId, name, reason }) => call(callId, { name, state: 'denied', problem: reason }),
      'call.parked': ({ callId, name, inboxId, sessions }) =>
        call(callId, { name, state: 'waiting', inboxId, ...(sessions && { sessions }) }),
      'call.resumed': ({ callId, name }) => call(callId, { name, state: 'running' }),
      'turn.ended': () => ({ ...seen, writing: isGivenUp(log, event) ? undefined : log.writing }),
    },
    event,
  )
  return next ?? seen
}

/** Its turn is over and left no message of it. */
const isGivenUp = ({ writing, newest }: Log, event: Event): boolean =>
  writing !== undefined && newest < writing.seq && endsWriting(writing, event)

const without = (log: Log, mailId: string): Log => ({
  ...log,
  waiting: log.waiting.filter(({ id }) => id !== mailId),
  read: [...log.read, mailId].slice(-READ),
})

export function foldDelta(log: Log, delta: Delta): Log {
  if (delta.kind === 'output') return { ...log, calls: { ...log.calls, [delta.attempt]: printed(log, delta) } }
  return delta.seq !== undefined && delta.seq <= log.newest ? log : { ...log, writing: foldWriting(log.writing, delta) }
}

/** What a call prints may overtake the word that it began. */
function printed({ calls }: Log, delta: Delta): CallNow {
  const call = calls[delta.attempt] ?? {
    state: 'running',
    name: '',
    preview: '',
    startedAt: new Date(now()).toISOString(),
  }
  return { ...call, output: foldText(call.output ?? nothingYet, delta, OUTPUT) }
}
