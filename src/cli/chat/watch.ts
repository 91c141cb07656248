import type { Client } from '../../client/client.ts'
import { type EventHandlers, handleEvent } from '../../client/events.ts'
import { fold } from '../../client/fold.ts'
import { follow, type LiveStream } from '../../client/live.ts'
import type { Reply } from '../../contract/api.ts'
import type { Delta, Event } from '../../contract/events.ts'
import type { InboxAnswer, InboxItem } from '../../contract/inbox.ts'
import { type Message, textOf } from '../../contract/messages.ts'
import type { Session } from '../../contract/sessions.ts'
import { systemClock } from '../../lib/clock.ts'
import { newId } from '../../lib/ids.ts'
import type { Cli } from '../cli.ts'
import { openItems } from '../inbox-items.ts'
import { whereabouts } from '../server.ts'

/** What a conversation tells whoever shows it. */
export interface Viewer {
  /** Called once, before anything else. What was said so far can be shown here; all that comes after it follows. */
  begin?(session: Session): Promise<void>
  /** A piece of the reply as it is written. */
  piece(text: string): void
  /** The whole text of a message of the agent, from the log; `shown` is what of it came as pieces. */
  message(text: string, shown: string): void
  tool(name: string, preview: string): void
  toolFailed(name: string, preview: string): void
  remark(text: string): void
  ended(end: string, reason: string): void
  /** A question or an approval waits for the person. */
  asked(item: InboxItem): void
  /** Every event, before the chat acts on it; for a viewer that shows more than the above. */
  event?(event: Event): void
  delta?(delta: Delta): void
  /** Every message of the log, whoever wrote it. */
  appended?(message: Message): void
}

/** One session as seen by one person: what they said, what it does, what it waits for. */
export interface Watched {
  /** As the events up to now have left it. */
  readonly session: Session
  readonly live: LiveStream
  /** The session has answered all that was said, and does nothing. */
  idle(): boolean
  /** What waits for the person, oldest first. */
  waits(): readonly InboxItem[]
  say(content: string): Promise<Reply>
  answer(item: InboxItem, answer: InboxAnswer): Promise<void>
  cancel(): Promise<void>
  clear(): Promise<void>
  /** Resolves when it is idle or waits for the person. */
  settled(): Promise<void>
  close(): void
}

/** Opens a session from a snapshot and follows every event behind it, so nothing in between is missed. */
export async function watchSession(cli: Cli, client: Client, ref: string, viewer: Viewer): Promise<Watched> {
  const { value, seq } = await client.snapshot('GET /api/sessions/{ref}', { params: { ref } })
  const params = { ref: value.id }
  await viewer.begin?.(value)
  const unanswered = new Set<string>()
  const early = new Set<string>()
  const waits = new Map<string, InboxItem>()
  let session = value
  let taken: string[] = []
  let attempt = ''
  let shown = ''
  let wake: (() => void)[] = []

  const idle = (): boolean => session.status !== 'running' && session.status !== 'waiting' && unanswered.size === 0
  const settle = (): void => {
    if (!idle() && waits.size === 0) return
    for (const resolve of wake) resolve()
    wake = []
  }

  async function ask(inboxId: string): Promise<void> {
    const item = waits.has(inboxId) ? undefined : (await openItems(client)).find(({ id }) => id === inboxId)
    if (!item) return
    waits.set(inboxId, item)
    viewer.asked(item)
  }

  /** A receipt may arrive after the events that it announces. */
  function answered(mailId: string): void {
    if (!unanswered.delete(mailId)) early.add(mailId)
  }

  async function showMessage(seqOfMessage: number): Promise<void> {
    const query = { after: seqOfMessage - 1, limit: 1 }
    const { items } = await client.call('GET /api/sessions/{ref}/messages', { params, query })
    const [message] = items
    if (message) viewer.appended?.(message)
    if (message?.role !== 'assistant') return
    const text = textOf(message.parts)
    if (text) viewer.message(text, shown)
    shown = ''
  }

  const handlers: EventHandlers<Promise<void> | void> = {
    'mail.taken': ({ mailId }) => void taken.push(mailId),
    'mail.answered': ({ mailId }) => answered(mailId),
    'mail.expired': ({ mailId }) => answered(mailId),
    'mail.undeliverable': ({ mailId, reason }) => {
      answered(mailId)
      viewer.remark(`A message could not be delivered: ${reason}`)
    },
    'message.appended': ({ role, seq: position }) =>
      role === 'assistant' || viewer.appended ? showMessage(position) : undefined,
    'tool.started': ({ name, preview }) => viewer.tool(name, preview),
    'tool.ended': ({ name, ok, preview }) => (ok ? undefined : viewer.toolFailed(name, preview)),
    'tool.denied': ({ name, reason }) => viewer.toolFailed(name, reason),
    'model.retried': ({ waitMs, reason }) => viewer.remark(`The model is asked again${after(waitMs)}: ${reason}`),
    'model.queued': ({ model, until, reason }) =>
      viewer.remark(`${model} is asked${after(Date.parse(until) - systemClock.now())}: ${reason}`),
    'model.switched': ({ to, reason }) => viewer.remark(`Now with ${to}: ${reason}`),
    'call.parked': ({ inboxId }) => (inboxId ? ask(inboxId) : undefined),
    'inbox.added': ({ kind, title }) => (kind === 'notice' ? viewer.remark(title) : undefined),
    'inbox.answered': ({ inboxId }) => void waits.delete(inboxId),
    'inbox.dismissed': ({ inboxId }) => void waits.delete(inboxId),
    'inbox.expired': ({ inboxId }) => void waits.delete(inboxId),
    'turn.ended': ({ end, reason }) => {
      taken.forEach(answered)
      taken = []
      waits.clear()
      viewer.ended(end, reason)
    },
  }

  const live = await follow(
    client,
    { session: session.id, deltas: true, after: seq },
    {
      async event(event) {
        session = fold(session, event)
        viewer.event?.(event)
        await handleEvent(handlers, event)
        settle()
      },
      async anew() {
        const { value, seq } = await client.snapshot('GET /api/sessions/{ref}', { params })
        session = value
        viewer.remark('The database was put back to an earlier state; this goes on from there.')
        return seq
      },
      lost: () => viewer.remark('The server went away; this goes on as soon as it is back.'),
      delta(delta) {
        viewer.delta?.(delta)
        if (delta.kind !== 'text' || delta.sessionId !== session.id) return
        if (delta.attempt !== attempt) shown = ''
        attempt = delta.attempt
        // Pieces are missing if we came late or the connection was lost; the whole message fills the hole.
        if (delta.offset !== shown.length) return
        shown += delta.text
        viewer.piece(delta.text)
      },
    },
    whereabouts(cli),
  )
  live.ended
    .catch(() => {})
    .finally(() => {
      for (const resolve of wake) resolve()
    })
  if (session.status === 'waiting') {
    for (const item of await openItems(client))
      if (item.waits.some(({ sessionId }) => sessionId === session.id)) await ask(item.id)
  }

  return {
    get session() {
      return session
    },
    live,
    idle,
    waits: () => [...waits.values()],
    async say(content) {
      const receipt = await client.call('POST /api/sessions/{ref}/messages', {
        params,
        body: { content, clientId: newId('cli') },
      })
      if (!early.delete(receipt.mailId)) unanswered.add(receipt.mailId)
      return receipt
    },
    async answer(item, answer) {
      await client.call('POST /api/inbox/{id}/answer', { params: { id: item.id }, body: answer })
      waits.delete(item.id)
    },
    cancel: async () => void (await client.call('POST /api/sessions/{ref}/cancel', { params })),
    clear: async () => void (await client.call('POST /api/sessions/{ref}/clear', { params })),
    settled: () =>
      idle() || waits.size > 0
        ? Promise.resolve()
        : Promise.race([new Promise<void>((resolve) => wake.push(resolve)), live.ended]),
    close: () => live.close(),
  }
}

/** Shorter pauses are not worth a word. */
const SHORT_MS = 2000

const after = (ms: number): string => (ms < SHORT_MS ? '' : ` in ${Math.ceil(ms / 1000)} s`)
