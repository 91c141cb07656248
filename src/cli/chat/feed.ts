import { eventName, inOrder } from '../../client/replay.ts'
import { type EventHandlers, handleEvent } from '../../contract/event-handlers.ts'
import type { Delta, Event } from '../../contract/events.ts'
import type { InboxItem } from '../../contract/inbox.ts'
import { type Message, textOf } from '../../contract/messages.ts'
import type { Remark } from '../../contract/remarks.ts'
import type { Session, Todo } from '../../contract/sessions.ts'
import { endHere, remarkHere } from '../remarks.ts'
import type { Helpers } from './at-work.ts'
import { createBeside } from './beside.ts'
import { foldedGroup, liveGroup } from './call-lines.ts'
import { type Calls, createCalls, isOpenCall } from './calls.ts'
import { cut } from './cells.ts'
import { checklist, checklistInShort, isOpen } from './checklist.ts'
import { decisionLines } from './decisions.ts'
import type { Paper } from './paper.ts'
import { remarkLines } from './remark-lines.ts'
import { saidLines } from './said.ts'
import { createTextStream } from './stream.ts'
import { createTurnClock, type TurnClock } from './turn-clock.ts'
import { createUnread, type Unread } from './unread.ts'
import type { Viewer } from './watch.ts'

/** What a session does, as lines: finished ones go to the paper, the rest is what `live` shows now. */
export interface ChatFeed {
  readonly viewer: Viewer
  readonly calls: Calls
  readonly usage: ShownUsage
  readonly clock: TurnClock
  /** The last message shown. */
  readonly seq: number
  live(spinner: string): string[]
  /** What the person said waits here until the session has read it. */
  told(text: string): ReturnType<Unread['add']>
  /** The to-do list as it is now, while something on it is open. */
  todos(): string[]
  /** The to-do list has changed, or was read for the first time. */
  todosAre(todos: readonly Todo[]): void
  /** What was said and what happened before we came; what is shown already is left out. */
  earlier(messages: readonly Message[], events: readonly Event[]): void
  /** The person answered this item here, so its answer is shown already. */
  answered(inboxId: string): void
  waiting(): readonly string[]
  close(): void
}

interface ShownUsage {
  /** The model that is asked, or that answered last. */
  model: string | undefined
  thinking: boolean
}

interface World {
  readonly paper: Paper
  readonly width: () => number
  readonly now: () => number
  readonly changed: () => void
  readonly helpers?: Helpers
}

const ASKS = 'ask_human'
/** Calls of these tools are not shown: the question and its answer say it already, and so does the list. */
const hidden = new Set([ASKS, 'todo_write', 'todo_read'])

export function createChatFeed(session: Session | undefined, world: World): ChatFeed {
  const { paper, width, now, changed, helpers } = world
  const calls = createCalls()
  const stream = createTextStream()
  const told = createUnread(changed)
  const clock = createTurnClock()
  const asked = new Map<string, InboxItem>()
  /** What was shown of the time before we came; the live events begin a little earlier. */
  const replayed = new Set<string>()
  const beside = helpers && createBeside(helpers)
  let todos: readonly Todo[] | undefined
  let attempt = ''
  let speaking = false
  let known = 0
  const usage: ShownUsage = { model: session?.model, thinking: false }
  if (session?.status === 'running') clock.begin(now())

  const remark = (said: Remark): void => paper.print('remark', remarkLines(said, width()))
  const note = (text: string): void => remark({ kind: 'note', text })
  const closeCalls = (): void => {
    const closed = calls.close()
    if (closed.length > 0) paper.print('calls', foldedGroup(closed, width()))
  }

  function speak(lines: readonly string[]): void {
    if (lines.length === 0) return
    paper.print(speaking ? 'more-text' : 'text', lines)
    speaking = true
  }

  /**
   * Prints each block of text as soon as it is finished; the frame only ever holds the last one. Deltas travel beside the
   * events and may overtake the end of a call, or what the person said: then they wait for it.
   */
  function flow(): void {
    if (!stream.begun || told.isAhead || calls.group.some(isOpenCall)) return
    closeCalls()
    speak(stream.finished(width()))
  }

  function finishText(text: string): void {
    speak(stream.end(text, width()))
    speaking = false
  }

  function decided(inboxId: string, how: string): void {
    const item = asked.get(inboxId)
    if (asked.delete(inboxId) && item) paper.print('remark', decisionLines(item.title, how, width()))
  }

  /** The helpers of a call are followed while it waits for them. */
  function hand(callId: string, sessions: readonly string[]): void {
    calls.handed(callId, sessions)
    helpers?.watch(sessions)
  }

  function ended(callId: string): void {
    helpers?.release(calls.group.find(({ id }) => id === callId)?.sessions ?? [])
  }

  function appended(message: Message): void {
    if (message.seq <= known) return
    known = message.seq
    if (message.deletedAt) return
    calls.logged(message)
    if (message.model) usage.model = message.model
    const text = textOf(message.parts)
    if (message.role === 'assistant' && text.trim()) {
      closeCalls()
      finishText(text)
      if (message.interrupted) note('interrupted')
      if (message.cut) note('cut at the limit of its length')
    }
    if (message.role === 'user') {
      if (message.mailId) told.gone(message.mailId)
      closeCalls()
      paper.print('person', saidLines(message, width()))
    }
    beside?.note(message)
    changed()
  }

  const on: EventHandlers<void> = {
    'turn.started': (_data, { at }) => {
      clock.begin(Date.parse(at))
    },
    'turn.ended': () => {
      clock.end()
      usage.thinking = false
    },
    'session.cleared': () => {
      known = 0
    },
    'session.updated': ({ changed: fields }) => {
      if (typeof fields.model === 'string') usage.model = fields.model
    },
    'model.called': ({ model }) => {
      usage.model ??= model
    },
    'model.switched': ({ to }) => {
      usage.model = to
    },
    'message.appended': () => {
      usage.thinking = false
    },
    'mail.answered': ({ mailId }) => told.gone(mailId),
    'mail.expired': ({ mailId }) => told.gone(mailId),
    'mail.undeliverable': ({ mailId }) => told.gone(mailId),
    'inbox.answered': ({ inboxId }) => decided(inboxId, 'answered elsewhere'),
    'inbox.dismissed': ({ inboxId }) => decided(inboxId, 'dismissed'),
    'inbox.expired': ({ inboxId }) => decided(inboxId, 'nobody answered in time'),
    'tool.started': ({ callId, name, preview }, { at }) => {
      if (!hidden.has(name)) calls.started(callId, name, preview, Date.parse(at))
    },
    'tool.ended': ({ callId, ok, durationMs, preview }) => {
      calls.ended(callId, { ok, durationMs, problem: preview })
      ended(callId)
    },
    'tool.denied': ({ callId, name, reason }, { at }) => calls.denied(callId, name, reason, Date.parse(at)),
    'call.parked': ({ callId, name, inboxId, sessions = [] }, { at }) => {
      if (inboxId !== undefined) clock.asks(callId, Date.parse(at))
      if (inboxId !== undefined && !hidden.has(name)) calls.waits(callId, name, Date.parse(at))
      if (sessions.length > 0) hand(callId, sessions)
    },
    'call.resumed': ({ callId }, { at }) => clock.goesOn(callId, Date.parse(at)),
  }

  const viewer: Viewer = {
    event(event) {
      if (replayed.has(eventName(event))) return
      handleEvent(on, event)
      flow()
      changed()
    },
    delta(delta: Delta) {
      if (delta.kind === 'output') calls.printed(delta)
      if (delta.kind === 'reasoning') usage.thinking = true
      if (delta.kind === 'text' && delta.attempt !== attempt) {
        attempt = delta.attempt
        stream.restart()
        if (speaking) note('it begins again')
        speaking = false
      }
      changed()
    },
    piece(text) {
      usage.thinking = false
      stream.push(text)
      flow()
      changed()
    },
    message: () => {},
    tool: () => {},
    toolFailed: () => {},
    appended,
    remark(said, event) {
      if (event && replayed.has(eventName(event))) return
      remark(said)
      changed()
    },
    ended(end, reason, event) {
      if (replayed.has(eventName(event))) return
      closeCalls()
      speaking = false
      stream.restart()
      const said = endHere(end, reason)
      if (said) remark(said)
      changed()
    },
    asked(item) {
      asked.set(item.id, item)
      changed()
    },
  }

  return {
    viewer,
    calls,
    usage,
    clock,
    get seq() {
      return known
    },
    live(spinner) {
      const text = told.isAhead ? [] : stream.tail(width())
      const group = liveGroup(calls.group, { width: width(), now: now(), spinner, ...(helpers && { helpers }) })
      const behindCalls = calls.group.filter(isOpenCall).flatMap(({ sessions = [] }) => sessions)
      const working = [...group, ...(beside?.lines(width(), behindCalls) ?? [])]
      return [
        ...(working.length > 0 ? ['', ...working] : []),
        ...(text.length > 0 ? [...(speaking ? [] : ['']), ...text] : []),
      ]
    },
    todos() {
      if (!todos?.some(isOpen)) return []
      const lines = clock.begun ? checklist(todos, width()) : checklistInShort(todos, width())
      return ['', ...lines]
    },
    todosAre(next) {
      const finished = todos?.some(isOpen) && !next.some(isOpen)
      todos = next
      if (finished) paper.print('remark', checklist(next, width()))
      changed()
    },
    earlier,
    told: (text) => told.add(text, !clock.begun),
    answered: (inboxId) => void asked.delete(inboxId),
    waiting: () => told.texts,
    close: () => helpers?.close(),
  }

  function earlier(messages: readonly Message[], events: readonly Event[]): void {
    for (const step of inOrder(messages, events)) {
      if ('message' in step) (step.hasEvent ? appended : replay)(step.message)
      else replayed.add(eventName(step.event))
      if ('message' in step || (step.early && step.event.type !== 'turn.started')) continue
      handleEvent(on, step.event)
      if (step.event.type === 'turn.ended') closeCalls()
      const said = remarkHere(step.event)
      if (said) remark(said)
    }
    if (!calls.group.some(isOpenCall)) closeCalls()
  }

  function replay(message: Message): void {
    if (message.deletedAt || message.seq <= known) return
    appended(message)
    for (const part of message.parts) {
      if (part.type === 'tool-call' && !hidden.has(part.name))
        calls.started(part.callId, part.name, JSON.stringify(part.input), 0)
      if (part.type !== 'tool-result') continue
      calls.ended(part.callId, { ok: !part.error, problem: cut(String(part.output), 200) })
    }
    calls.logged(message)
  }
}
