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
  idle(): boolean
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

  async function enter(ref: string): Promise<void> {
    const session = await client.get<Session>(`/api/sessions/${encodeURIComponent(ref)}`)
    conversation?.close()
    feed = newFeed(session)
    const last = await showFrom(session, Math.max(0, session.messageCount - SHOWN))
    conversation = await openConversation(cli, client, session.id, feed.viewer)
    conversation.live.ended.catch((thrown: unknown) => lost(failureOf(thrown)))
    // What came between the look and the listening; what was shown is not shown twice.
    await showFrom(session, last)
  }

  async function showFrom(session: Session, after: number): Promise<number> {
    const messages = await all<Message>(client, `/api/sessions/${session.id}/messages`, { after })
    feed.earlier(messages)
    return messages.at(-1)?.seq ?? after
  }

  async function begun(): Promise<Conversation> {
    if (!conversation) {
      const session = await client.post<Session>('/api/sessions', { agent, ...(model ? { model } : {}) })
      await enter(session.id)
    }
    return conversation!
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
    idle: () => conversation?.idle() ?? true,
    waits: () => conversation?.waits() ?? [],
    async say(text) {
      // A session is made with the first message, so that looking in leaves nothing behind.
      const target = conversation ?? (await begun())
      const told = feed.told(text)
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
    enter,
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
