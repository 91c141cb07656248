import type { Client } from '../../client/client.ts'
import { isEvent } from '../../contract/event-handlers.ts'
import type { Event, EventType } from '../../contract/events.ts'
import type { InboxAnswer, InboxItem } from '../../contract/inbox.ts'
import type { Receipt } from '../../contract/mail.ts'
import { remarkTypes } from '../../contract/remarks.ts'
import type { Session } from '../../contract/sessions.ts'
import { newId } from '../../lib/ids.ts'
import { asCalled } from '../called.ts'
import type { Cli } from '../cli.ts'
import { exits, Failure, failureOf } from '../failure.ts'
import { latestWith } from '../latest-session.ts'
import { replyIn } from '../replies.ts'
import type { ChatFeed } from './feed.ts'
import { modelFor } from './models.ts'
import { isAskedFor, type Watched, watchSession } from './watch.ts'

/** With whom the person talks: a session, or the one that their next message begins. */
export interface ChatSession {
  readonly agent: string
  readonly session: Session | undefined
  readonly feed: ChatFeed
  /** The session has read all that was said, and no turn is open. */
  idle(): boolean
  /** A turn is open: what is said now is read at its next safe point. */
  busy(): boolean
  /** What was said and is not read yet. */
  unread(): readonly string[]
  waits(): readonly InboxItem[]
  /** Takes an item of another session when that works for this one. */
  asks(item: InboxItem): boolean
  over(event: Event): void
  say(text: string): Promise<void>
  answer(item: InboxItem, answer: InboxAnswer): Promise<void>
  cancel(): Promise<void>
  enter(ref: string): Promise<void>
  /** Goes on with another agent; returns the lines to show about that. */
  meet(agent: string, message: string): Promise<readonly string[]>
  /** Goes back to the session the person came from; returns the lines to show about that. */
  back(summary: string): Promise<readonly string[]>
  /** The next message begins a new session. */
  leave(): void
  /** Sets the model of this session, or of the one to come. */
  useModel(model: string): Promise<void>
  close(): void
}

/** Where a chat begins, and who wants to know of the sessions that it enters. */
export interface Beginning {
  readonly ref: string | undefined
  /** What becomes of questions that nobody answers, where a session is made. */
  readonly questions: string | undefined
  entered(sessionId: string): void
}

interface World extends Pick<Beginning, 'entered' | 'questions'> {
  readonly cli: Cli
  readonly client: Client
  readonly newFeed: (session: Session | undefined) => ChatFeed
  readonly lost: (failure: Failure) => void
  /** Something to say beside the session. */
  readonly tell: (text: string) => void
  readonly changed: () => void
}

type Place = Pick<Session, 'id' | 'agent' | 'handle'>

/** What of the record is shown again beside the messages, and how many of the newest. */
const told: EventType[] = [
  ...remarkTypes,
  'session.cleared',
  'message.appended',
  'turn.started',
  'tool.started',
  'tool.ended',
  'tool.denied',
  'call.parked',
  'call.resumed',
]
const EVENTS = 500

const SHOWN = 12
/** A session that was on this screen before shows only its end. */
const SHOWN_AGAIN = 2

export function createChatSession(
  first: string,
  { cli, client, newFeed, entered, questions, lost, tell, changed }: World,
): ChatSession {
  const seen = new Map<string, number>()
  let agent = first
  let watched: Watched | undefined
  /** Where the person was before this session. Going back there takes it from the session before the switch is told. */
  let cameFrom: string | undefined
  let feed = freshFeed(undefined)
  let model: string | undefined
  let sending: { readonly text: string }[] = []
  let beginning: Promise<Watched> | undefined
  let going: { readonly to: string; readonly done: Promise<unknown> } | undefined

  async function enter(ref: string): Promise<Watched> {
    const session = await client.call('GET /api/sessions/{ref}', { params: { ref } })
    stopListening()
    const shown = freshFeed(session)
    feed = shown
    const opened = await watchSession(cli, client, session.id, {
      ...shown.viewer,
      begin: (found) => showFrom(shown, found),
      event(happened) {
        shown.viewer.event?.(happened)
        follow(happened)
        // The next change shows the list again.
        if (happened.type === 'todo.changed') showTodos(shown, session.id).catch(() => {})
      },
    })
    watched = opened
    entered(session.id)
    cameFrom = session.cameFrom
    opened.live.ended.catch((thrown: unknown) => lost(failureOf(thrown)))
    return opened
  }

  function follow(event: Event): void {
    if (!isEvent(event, 'session.switched')) return
    const { to, ...place } = event.data
    goTo({ id: to, ...place }).catch((thrown: unknown) => tell(failureOf(thrown).message))
  }

  /** Goes where the person or the agent switched to, here or on another device. A switch that is reported twice happens once. */
  function goTo(place: Place): Promise<unknown> {
    const left = watched?.session
    if (going?.to === place.id) return going.done
    if (left?.id === place.id) return Promise.resolve()
    tell(
      left && cameFrom === place.id
        ? `Back with ${place.agent} ${place.handle}.`
        : `Now with ${place.agent} ${place.handle}.${left ? ` /back returns to ${left.agent} ${left.handle}.` : ''}`,
    )
    const done = enter(place.id).finally(() => {
      going = undefined
      changed()
    })
    going = { to: place.id, done }
    return done
  }

  /** Shows what was said along with the switch until the session there has read it. */
  async function said(text: string, receipt: Receipt | undefined): Promise<void> {
    if (!receipt) return
    const mail = await client.call('GET /api/mail/{id}', { params: { id: receipt.mailId } })
    if ('state' in mail && mail.state === 'queued') feed.told(text).accepted(receipt.mailId)
  }

  function startOf({ id, messageCount }: Session): number {
    const before = seen.get(id)
    const again = before === undefined ? 0 : Math.min(before, messageCount - SHOWN_AGAIN)
    return Math.max(0, messageCount - SHOWN, again)
  }

  function stopListening(): void {
    feed.close()
    if (watched) seen.set(watched.session.id, feed.seq)
    watched?.close()
  }

  async function showFrom(shown: ChatFeed, session: Session): Promise<void> {
    const params = { ref: session.id }
    const messages = await client.all('GET /api/sessions/{ref}/messages', {
      params,
      query: { after: startOf(session) },
    })
    const query = { session: session.id, types: told, newest: true, limit: EVENTS }
    shown.earlier(messages, (await client.call('GET /api/events', { query })).items)
    await showTodos(shown, session.id)
  }

  async function showTodos(shown: ChatFeed, ref: string): Promise<void> {
    shown.todosAre(await client.all('GET /api/sessions/{ref}/todos', { params: { ref } }))
  }

  /** The bottom line names the model before anything was asked of it. */
  function freshFeed(session: Session | undefined): ChatFeed {
    const fresh = newFeed(session)
    const name = async (): Promise<void> => {
      fresh.usage.model ??= session?.model ?? (await modelFor(client, session?.agent ?? agent))
      changed()
    }
    // Without it the line says less, and what is wrong is said elsewhere.
    name().catch(() => {})
    return fresh
  }

  /** Two messages in a hurry begin one session, not two. */
  function begun(): Promise<Watched> {
    beginning ??= begin().finally(() => {
      beginning = undefined
    })
    return beginning
  }

  async function begin(): Promise<Watched> {
    const body = { agent, ...(model ? { model } : {}), ...(questions ? { questions } : {}) }
    const session = await client.call('POST /api/sessions', { body })
    return enter(session.id)
  }

  return {
    get agent() {
      return watched?.session.agent ?? agent
    },
    get session() {
      return watched?.session
    },
    get feed() {
      return feed
    },
    idle: () => (watched?.idle() ?? true) && sending.length === 0 && feed.waiting().length === 0,
    busy: () => watched !== undefined && !watched.idle(),
    unread: () => [...feed.waiting(), ...sending.map(({ text }) => text)],
    waits: () => watched?.waits() ?? [],
    asks(item) {
      if (!watched || !isAskedFor(watched.session.id, item)) return false
      watched.ask(item)
      changed()
      return true
    },
    over: (event) => watched?.over(event),
    async say(text) {
      const entry = { text }
      sending.push(entry)
      const sent = (): void => {
        sending = sending.filter((other) => other !== entry)
      }
      await going?.done.catch(() => {})
      // A session is made with the first message, so that looking in leaves nothing behind.
      const target = watched ?? (await begun().finally(sent))
      const told = feed.told(text)
      sent()
      try {
        const { mailId, hint } = await target.say(text)
        told.accepted(mailId)
        if (hint !== undefined) tell(asCalled(hint))
      } catch (thrown) {
        told.refused()
        throw thrown
      }
    },
    async answer(item, answer) {
      feed.answered(item.id)
      await watched?.answer(item, answer)
    },
    cancel: async () => watched?.cancel(),
    enter: async (ref) => void (await enter(ref)),
    async meet(name, message) {
      const clientId = newId('cli')
      if (watched) {
        const params = { ref: watched.session.id }
        const body = { agent: name, ...(message ? { message } : {}), clientId }
        const { session, receipt } = await client.call('POST /api/sessions/{ref}/switch', { params, body })
        await goTo(session)
        await said(message, receipt)
        return []
      }
      // Nothing was said here yet, so there is nothing to come back to.
      await client.call('GET /api/agents/{name}', { params: { name } })
      if (message) {
        const receipt = replyIn(await client.call('POST /api/mail', { body: { to: name, content: message, clientId } }))
        await goTo(await client.call('GET /api/sessions/{ref}', { params: { ref: receipt.sessionId ?? '' } }))
        await said(message, receipt)
        return []
      }
      agent = name
      const latest = await latestWith(client, name)
      feed = freshFeed(undefined)
      if (!latest) return [`${name}: a new session begins with your next message.`]
      await goTo(latest)
      return []
    },
    async back(summary) {
      if (!watched) throw new Failure(exits.failed, 'There is no session yet, so there is nothing to go back to.')
      const body = { ...(summary ? { summary } : {}), clientId: newId('cli') }
      const params = { ref: watched.session.id }
      await goTo(await client.call('POST /api/sessions/{ref}/back', { params, body }))
      return []
    },
    leave() {
      agent = watched?.session.agent ?? agent
      stopListening()
      watched = undefined
      feed = freshFeed(undefined)
    },
    async useModel(name) {
      const ref = watched?.session.id
      if (ref) await client.call('PATCH /api/sessions/{ref}', { params: { ref }, body: { model: name } })
      model = name
      feed.usage.model = name
    },
    close: stopListening,
  }
}
