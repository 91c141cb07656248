import type { Client } from '../../client/client.ts'
import { fold } from '../../client/fold.ts'
import { follow, type LiveStream } from '../../client/live.ts'
import { endsWriting, foldWriting, type Writing } from '../../client/writing.ts'
import type { Reply } from '../../contract/api.ts'
import { type EventHandlers, handleEvent } from '../../contract/event-handlers.ts'
import type { Delta, Event } from '../../contract/events.ts'
import type { InboxAnswer, InboxItem } from '../../contract/inbox.ts'
import { type Message, textOf } from '../../contract/messages.ts'
import type { Remark } from '../../contract/remarks.ts'
import type { Session } from '../../contract/sessions.ts'
import { newId } from '../../lib/ids.ts'
import type { Cli } from '../cli.ts'
import { openItems } from '../inbox-items.ts'
import { remarkHere } from '../remarks.ts'
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
  /** What happened beside the messages; `event` is what told of it. */
  remark(remark: Remark, event?: Event): void
  ended(end: string, reason: string, event: Event): void
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
  /** A session that works for this one asks the person. */
  ask(item: InboxItem): void
  /** What such a session asked was settled, here or elsewhere. */
  over(event: Event): void
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
  let writing: Writing | undefined
  /** What of it the viewer got. */
  let shown = ''
  /** The last message that was told of; unknown until the first. */
  let newest: number | undefined
  /** Deltas that overtook the word of the message before theirs: they wait for it. */
  let ahead: Delta[] = []
  let wake: (() => void)[] = []

  const idle = (): boolean => session.status !== 'running' && session.status !== 'waiting' && unanswered.size === 0
  const settle = (): void => {
    if (!idle() && waits.size === 0) return
    for (const resolve of wake) resolve()
    wake = []
  }

  async function askById(inboxId: string): Promise<void> {
    const item = (await openItems(client)).find(({ id }) => id === inboxId)
    if (item) ask(item)
  }

  function ask(item: InboxItem): void {
    if (waits.has(item.id)) return
    waits.set(item.id, item)
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

  function hear(delta: Delta): void {
    if (newest !== undefined && delta.seq !== undefined && delta.seq > newest + 1) return void ahead.push(delta)
    viewer.delta?.(delta)
    const next = foldWriting(writing, delta)
    if (next?.attempt !== writing?.attempt) shown = ''
    writing = next
    // Where pieces are missing, the whole message fills the hole.
    const piece = writing?.text.missing === 0 ? writing.text.text.slice(shown.length) : ''
    if (piece === '') return
    shown += piece
    viewer.piece(piece)
  }

  async function appended(event: Event, role: string, seqOfMessage: number): Promise<void> {
    if (role === 'assistant' || viewer.appended) await showMessage(seqOfMessage)
    newest = seqOfMessage
    if (writing && endsWriting(writing, event)) writing = undefined
    for (const delta of ahead.splice(0)) hear(delta)
  }

  const handlers: EventHandlers<Promise<void> | void> = {
    'mail.taken': ({ mailId }) => void taken.push(mailId),
    'mail.answered': ({ mailId }) => answered(mailId),
    'mail.expired': ({ mailId }) => answered(mailId),
    'mail.undeliverable': ({ mailId }) => answered(mailId),
    'message.appended': ({ role, seq: position }, event) => appended(event, role, position),
    'tool.started': ({ name, preview }) => viewer.tool(name, preview),
    'tool.ended': ({ name, ok, preview }) => (ok ? undefined : viewer.toolFailed(name, preview)),
    'tool.denied': ({ name, reason }) => viewer.toolFailed(name, reason),
    'call.parked': ({ inboxId }) => (inboxId ? askById(inboxId) : undefined),
    'inbox.answered': ({ inboxId }) => void waits.delete(inboxId),
    'inbox.dismissed': ({ inboxId }) => void waits.delete(inboxId),
    'inbox.expired': ({ inboxId }) => void waits.delete(inboxId),
    'turn.ended': ({ end, reason }, event) => {
      taken.forEach(answered)
      taken = []
      for (const [id, item] of waits) if (isAskedBy(session.id, item)) waits.delete(id)
      viewer.ended(end, reason, event)
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
        const remark = event.type === 'turn.ended' ? undefined : remarkHere(event)
        if (remark) viewer.remark(remark, event)
        settle()
      },
      async anew() {
        const { value, seq } = await client.snapshot('GET /api/sessions/{ref}', { params })
        session = value
        for (const gone of [unanswered, early, waits]) gone.clear()
        taken = []
        ahead = []
        newest = undefined
        viewer.remark({
          kind: 'waits',
          text: 'The database was put back to an earlier state; this goes on from there.',
        })
        for (const item of await openItems(client)) if (isAskedFor(session.id, item)) ask(item)
        settle()
        return seq
      },
      lost: () => viewer.remark({ kind: 'waits', text: 'The server went away; this goes on as soon as it is back.' }),
      delta: hear,
    },
    whereabouts(cli),
  )
  live.ended
    .catch(() => {})
    .finally(() => {
      for (const resolve of wake) resolve()
    })
  for (const item of await openItems(client)) if (isAskedFor(session.id, item)) ask(item)

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
    ask(item) {
      ask(item)
      settle()
    },
    over(event) {
      viewer.event?.(event)
      void handleEvent(handlers, event)
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

const isAskedBy = (sessionId: string, { waits }: InboxItem): boolean =>
  waits.some((wait) => wait.sessionId === sessionId)

/** The session itself waits for the person, or one that works for it does. */
export const isAskedFor = (sessionId: string, { waits, lineage }: InboxItem): boolean =>
  waits.length > 0 && lineage.some(({ id }) => id === sessionId)
