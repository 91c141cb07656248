import { useCallback, useEffect, useMemo, useRef } from 'react'
import { handleEvent } from '../../../src/contract/event-handlers.ts'
import type { Delta, Event, EventType } from '../../../src/contract/events.ts'
import type { Mail } from '../../../src/contract/mail.ts'
import type { Message } from '../../../src/contract/messages.ts'
import { remarkTypes } from '../../../src/contract/remarks.ts'
import { type Live, type Resource, useLive } from '../live/resource.ts'
import { server } from '../live/server.ts'

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
  /** What it printed so far. */
  readonly output?: string
  /** The sessions that work for it. */
  readonly sessions?: readonly string[]
}

export interface Writing {
  readonly attempt: string
  readonly since: string
  readonly text: string
  readonly reasoning: string
  /** Its beginning or a piece of it was missed; the log will have the whole. */
  readonly gap: boolean
}

export type Waiting = Pick<Mail, 'id' | 'content' | 'from' | 'outcome' | 'createdAt'>

const PAGE = 100
const EVENTS = 1000
const OUTPUT = 16_000
const REMARKS = 500
const READ = 100

const told: readonly EventType[] = [
  ...remarkTypes,
  ...(['tool.started', 'tool.ended', 'tool.denied', 'call.parked', 'call.resumed'] as const),
]

const logResource = (id: string): Resource<Log> => ({
  key: `log ${id}`,
  async read() {
    const params = { ref: id }
    const query = { newest: true, limit: PAGE }
    const { value, seq } = await server.snapshot('GET /api/sessions/{ref}/messages', { params, query })
    const [events, mail] = await Promise.all([
      server.call('GET /api/events', {
        query: { session: id, project: '*', types: [...told], newest: true, limit: EVENTS },
      }),
      server.call('GET /api/mail', { query: { session: id } }),
    ])
    const messages = value.items
    const log: Log = {
      messages,
      more: (messages[0]?.seq ?? 1) > 1,
      newest: messages.at(-1)?.seq ?? 0,
      changed: [],
      remarks: [],
      calls: {},
      writing: undefined,
      waiting: mail.items.filter((one): one is Mail => 'content' in one),
      read: [],
    }
    return { value: events.items.reduce(foldEvent, log), seq }
  },
  interest: { session: id, deltas: true },
  fold: (log, event) => (event.sessionId === id ? foldEvent(log, event) : log),
  foldDelta,
})

function foldEvent(log: Log, event: Event): Log {
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
function foldDelta(log: Log, { attempt, kind, offset, text }: Delta): Log {
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

export interface LiveLog extends Live<Log> {
  /** Loads what stands before the first message that is shown. */
  older(): void
}

/** The bodies of new and changed messages are fetched as events tell of them. */
export function useLog(id: string): LiveLog {
  const live = useLive(useMemo(() => logResource(id), [id]))
  const { value, put } = live
  const last = value?.messages.at(-1)?.seq ?? 0
  const behind = value !== undefined && value.newest > last
  useEffect(() => {
    if (behind) void newer(id, last, put)
  }, [behind, id, last, put])
  const changed = value?.changed[0]
  useEffect(() => {
    if (changed !== undefined) void again(id, changed, put)
  }, [changed, id, put])
  const loading = useRef(false)
  const first = value?.messages[0]?.seq
  const more = value?.more ?? false
  const older = useCallback(async () => {
    if (loading.current || first === undefined || !more) return
    loading.current = true
    await before(id, first, put).catch(() => {})
    loading.current = false
  }, [id, first, more, put])
  return { ...live, older }
}

type Put = Live<Log>['put']

const read = async (
  id: string,
  query: { after?: number; before?: number; limit: number },
): Promise<readonly Message[]> =>
  (await server.call('GET /api/sessions/{ref}/messages', { params: { ref: id }, query })).items

async function newer(id: string, last: number, put: Put): Promise<void> {
  const items = await read(id, { after: last, limit: 200 })
  put((log) => {
    const end = log.messages.at(-1)?.seq ?? 0
    const fresh = items.filter(({ seq }) => seq > end)
    const written = fresh.some(({ role }) => role === 'assistant') && log.writing?.attempt === ''
    return { ...log, messages: [...log.messages, ...fresh], ...(written && { writing: undefined }) }
  })
}

async function again(id: string, seq: number, put: Put): Promise<void> {
  const [found] = await read(id, { after: seq - 1, limit: 1 })
  put((log) => ({
    ...log,
    changed: log.changed.filter((one) => one !== seq),
    messages: log.messages.map((message) => (message.seq === seq && found?.seq === seq ? found : message)),
  }))
}

async function before(id: string, first: number, put: Put): Promise<void> {
  const items = await read(id, { before: first, limit: 200 })
  put((log) => ({
    ...log,
    messages: [...items.filter(({ seq }) => seq < (log.messages[0]?.seq ?? 0)), ...log.messages],
    more: (items[0]?.seq ?? 1) > 1,
  }))
}
