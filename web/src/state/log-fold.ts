import { handleEvent } from '../../../src/contract/event-handlers.ts'
import type { Delta, Event } from '../../../src/contract/events.ts'
import { remarkTypes } from '../../../src/contract/remarks.ts'
import type { CallNow, Log, Writing } from './log.ts'

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
      'message.appended': ({ seq, role }) => ({
        ...log,
        newest: Math.max(log.newest, seq),
        ...(role === 'assistant' && log.writing && { writing: { ...log.writing, attempt: '' } }),
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
      'call.parked': ({ callId, name, sessions }) =>
        call(callId, { name, state: 'waiting', ...(sessions && { sessions }) }),
      'call.resumed': ({ callId, name }) => call(callId, { name, state: 'running' }),
      'turn.ended': () => ({ ...seen, writing: undefined }),
    },
    event,
  )
  return next ?? seen
}

const without = (log: Log, mailId: string): Log => ({
  ...log,
  waiting: log.waiting.filter(({ id }) => id !== mailId),
  read: [...log.read, mailId].slice(-READ),
})

/** Pieces are joined by their offset: one that was seen is dropped, one that is missing leaves a gap. */
export function foldDelta(log: Log, { attempt, kind, offset, text }: Delta): Log {
  if (kind === 'output') {
    const call = log.calls[attempt]
    if (call === undefined) return log
    return {
      ...log,
      calls: { ...log.calls, [attempt]: { ...call, output: ((call.output ?? '') + text).slice(-OUTPUT) } },
    }
  }
  const now = new Date().toISOString()
  const begun = log.writing?.attempt === attempt ? log.writing : undefined
  const before: Writing = begun ?? { attempt, since: now, text: '', reasoning: '', gap: offset > 0 }
  const field = kind === 'text' ? 'text' : 'reasoning'
  if (begun && !begun.gap && offset < begun[field].length) return log
  const gap = before.gap || offset > before[field].length
  return { ...log, writing: { ...before, gap, [field]: before[field] + text } }
}
