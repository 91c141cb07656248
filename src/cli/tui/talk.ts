import type { InboxAnswer, InboxItem } from '../../contract/inbox.ts'
import type { Message } from '../../contract/messages.ts'
import type { Session } from '../../contract/sessions.ts'
import type { Cli } from '../cli.ts'
import { all, type Client } from '../client.ts'
import { type Conversation, openConversation } from '../conversation.ts'
import { type Failure, failureOf } from '../failure.ts'
import type { Feed } from './feed.ts'

/** With whom the person talks: a session, or the one that their next message begins. */
export interface Talk {
  readonly agent: string
  readonly session: Session | undefined
  readonly feed: Feed
  /** Nothing of what was said is on its way or unread, and no turn is open. */
  idle(): boolean
  /** A turn is open: what is said now is read at its next safe point. */
  busy(): boolean
  /** What was said and is not read yet. */
  unread(): readonly string[]
  waits(): readonly InboxItem[]
  say(text: string): Promise<void>
  answer(item: InboxItem, answer: InboxAnswer): Promise<void>
  cancel(): Promise<void>
  enter(ref: string): Promise<void>
  /** The next message begins a new session. */
  leave(): void
  /** Of this session, or of the one to come. */
  useModel(model: string): Promise<void>
  close(): void
}

interface World {
  readonly cli: Cli
  readonly client: Client
  readonly newFeed: (session: Session | undefined) => Feed
  readonly lost: (failure: Failure) => void
}

const SHOWN = 12

export function createTalk(agent: string, { cli, client, newFeed, lost }: World): Talk {
  let conversation: Conversation | undefined
  let feed = newFeed(undefined)
  let model: string | undefined
  let sending: { readonly text: string }[] = []
  let beginning: Promise<Conversation> | undefined

  async function enter(ref: string): Promise<Conversation> {
    const session = await client.get<Session>(`/api/sessions/${encodeURIComponent(ref)}`)
    conversation?.close()
    feed = newFeed(session)
    const last = await showFrom(session, Math.max(0, session.messageCount - SHOWN))
    const opened = await openConversation(cli, client, session.id, feed.viewer)
    conversation = opened
    opened.live.ended.catch((thrown: unknown) => lost(failureOf(thrown)))
    // What came between the look and the listening; what was shown is not shown twice.
    await showFrom(session, last)
    return opened
  }

  async function showFrom(session: Session, after: number): Promise<number> {
    const messages = await all<Message>(client, `/api/sessions/${session.id}/messages`, { after })
    feed.earlier(messages)
    return messages.at(-1)?.seq ?? after
  }

  /** Two messages in a hurry begin one session, not two. */
  function begun(): Promise<Conversation> {
    beginning ??= begin().finally(() => {
      beginning = undefined
    })
    return beginning
  }

  async function begin(): Promise<Conversation> {
    const session = await client.post<Session>('/api/sessions', { agent, ...(model ? { model } : {}) })
    return enter(session.id)
  }

  return {
    get agent() {
      return conversation?.session.agent ?? agent
    },
    get session() {
      return conversation?.session
    },
    get feed() {
      return feed
    },
    idle: () => (conversation?.idle() ?? true) && sending.length === 0 && feed.waiting().length === 0,
    busy: () => conversation !== undefined && !conversation.idle(),
    unread: () => [...feed.waiting(), ...sending.map(({ text }) => text)],
    waits: () => conversation?.waits() ?? [],
    async say(text) {
      const entry = { text }
      sending.push(entry)
      const sent = (): void => {
        sending = sending.filter((other) => other !== entry)
      }
      // A session is made with the first message, so that looking in leaves nothing behind.
      const target = conversation ?? (await begun().finally(sent))
      const told = feed.told(text)
      sent()
      try {
        told.accepted((await target.say(text)).mailId)
      } catch (thrown) {
        told.refused()
        throw thrown
      }
    },
    async answer(item, answer) {
      feed.answered(item.id)
      await conversation?.answer(item, answer)
    },
    cancel: async () => conversation?.cancel(),
    enter: async (ref) => void (await enter(ref)),
    leave() {
      conversation?.close()
      conversation = undefined
      feed = newFeed(undefined)
    },
    async useModel(name) {
      if (conversation) await client.patch(`/api/sessions/${conversation.session.id}`, { model: name })
      model = name
      feed.usage.model = name
    },
    close: () => conversation?.close(),
  }
}
