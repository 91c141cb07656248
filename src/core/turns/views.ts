import { isEvent } from '../../contract/event-handlers.ts'
import type { Event } from '../../contract/events.ts'
import type { SessionId } from '../../contract/ids.ts'
import type { Message, Part } from '../../contract/messages.ts'
import { remarkOf, remarkTypes } from '../../contract/remarks.ts'
import type { SessionPrompt } from '../../contract/session-parts.ts'
import { clean, visibleJson } from '../../lib/hidden.ts'
import { quote } from '../../lib/shell/quote.ts'
import { findPrompt, readSections } from '../../store/prompts.ts'
import { findSession } from '../../store/sessions.ts'
import type { Db, SessionRow } from '../../store/tables.ts'
import { type Core, type Read, readEvents } from '../base/index.ts'
import { listMessages } from '../sessions/index.ts'
import { promptFor } from './frozen-prompt.ts'
import { offeredTo } from './offered.ts'

/** The exact system prompt: the frozen one, or, before the first turn, the one that would be frozen now. */
export async function sessionPrompt(core: Core, sessionId: SessionId, read: Read): Promise<SessionPrompt> {
  const { session, kept } = await read(async (db) => ({
    session: await row(db, sessionId),
    kept: await findPrompt(db, sessionId),
  }))
  const frozen = kept?.key === '' ? undefined : kept
  const built = frozen ? { text: frozen.text, sections: readSections(frozen) } : await build(core, session)
  const tokens = built.sections.map((section) => section.tokens).reduce((sum, count) => sum + count, 0)
  return { text: built.text, sections: [...built.sections], tokens, frozen: frozen !== undefined }
}

/** So few messages that handling one page holds nobody up. */
const PAGE = 50

export async function* exportSession(
  core: Core,
  sessionId: SessionId,
  { format, forPeople }: { format: 'md' | 'jsonl'; forPeople: boolean },
): AsyncIterable<string> {
  const session = await row(core.store.read, sessionId)
  if (format === 'md')
    yield clean(
      `# ${session.title || session.agent}\n\n${session.agent}, ${new Date(session.created_at).toISOString()}\n`,
    )
  // Each page is read by itself, so that a slow reader keeps no transaction open.
  const read = async (page: Page) =>
    (await core.store.aside((db) => listMessages(core, sessionId, { ...page, forPeople }, db))).value.items
  if (format === 'md') yield* story(core, session, everyMessage(read))
  else for await (const message of everyMessage(read)) yield `${visibleJson(JSON.stringify(message))}\n`
}

/** The messages, and at its place what happened besides: a turn that broke off, another model, a wait. */
async function* story(core: Core, session: SessionRow, messages: AsyncGenerator<Message>): AsyncIterable<string> {
  let next = await messages.next()
  async function* upTo(seq: number): AsyncIterable<string> {
    for (; !next.done && next.value.seq <= seq; next = await messages.next()) yield clean(markdown(next.value, session))
  }
  for await (const event of everyEvent(core, session.id)) {
    if (isEvent(event, 'message.appended')) yield* upTo(event.data.seq)
    const said = remarkOf(event)
    if (said) yield clean(`\n${quote(said.text)}\n`)
  }
  // Copied messages, as of a fork, have no events.
  yield* upTo(Number.POSITIVE_INFINITY)
}

/** What was written since the history was last cleared. */
async function* everyEvent(core: Core, sessionId: SessionId): AsyncIterable<Event> {
  const cleared = await readEvents(core, { sessionId, types: ['session.cleared'], newest: true, limit: 1 })
  const types = [...remarkTypes, 'message.appended']
  for (let after = cleared.items[0]?.seq; ; ) {
    const page = await readEvents(core, { sessionId, types, after, limit: PAGE })
    yield* page.items
    if (!page.full) return
    after = page.seq
  }
}

type Page = { after: number; limit: number }

export async function* everyMessage(read: (page: Page) => Promise<Message[]>): AsyncGenerator<Message> {
  for (let after = 0; ; ) {
    const page = await read({ after, limit: PAGE })
    yield* page
    if (page.length < PAGE) return
    after = page.at(-1)!.seq
  }
}

function markdown(message: Message, session: SessionRow): string {
  if (message.deletedAt !== undefined) return `\n_(deleted)_\n${before(message)}`
  const who =
    message.role === 'assistant'
      ? session.agent
      : message.role === 'user'
        ? (message.from?.agent ?? message.from?.kind ?? 'human')
        : message.role
  const marks = [message.interrupted && 'interrupted', message.cut && 'cut', message.editedAt && 'edited']
  const shown = marks.filter(Boolean).map((mark) => ` (${mark})`)
  return `\n## ${who}${shown.join('')}\n\n${blocksOf(message.parts)}\n${before(message)}`
}

/** What the message said before, as a quotation. */
const before = ({ replaced = [] }: Message): string =>
  replaced.map(({ parts, at }) => `\n_(replaced ${at})_\n\n${quote(blocksOf(parts))}\n`).join('')

function blocksOf(parts: readonly Part[]): string {
  const blocks = parts.map((part) => {
    if (part.type === 'tool-call') return fenced(`${part.name} ${JSON.stringify(part.input, null, 2)}`)
    if (part.type === 'tool-result')
      return fenced(typeof part.output === 'string' ? part.output : JSON.stringify(part.output, null, 2))
    if (part.type === 'file') return `_(${part.mediaType}${part.name ? `, ${part.name}` : ''})_`
    return part.type === 'text' ? part.text : ''
  })
  return blocks.filter(Boolean).join('\n\n')
}

/** A fence longer than any inside the text. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text}\n${fence}`
}

const build = async (core: Core, session: SessionRow) => promptFor(core, session, await offeredTo(core, session))

const row = async (db: Db, id: SessionId): Promise<SessionRow> => (await findSession(db, id))!
