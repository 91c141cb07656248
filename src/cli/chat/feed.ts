import { type EventHandlers, handleEvent } from '../../client/events.ts'
import type { Delta } from '../../contract/events.ts'
import type { InboxItem } from '../../contract/inbox.ts'
import { type Message, textOf } from '../../contract/messages.ts'
import type { Session } from '../../contract/sessions.ts'
import { endInWords } from '../transcript.ts'
import { foldedGroup, liveGroup } from './call-lines.ts'
import { type Calls, createCalls } from './calls.ts'
import { cut } from './cells.ts'
import type { Paper } from './paper.ts'
import { saidLines } from './said.ts'
import { createTextStream } from './stream.ts'
import { dim, style } from './style.ts'
import type { Viewer } from './watch.ts'

/** What a session does, as lines: finished ones go to the paper, the rest is what `live` shows now. */
export interface ChatFeed {
  readonly viewer: Viewer
  readonly calls: Calls
  readonly usage: ShownUsage
  /** The last message shown. */
  readonly seq: number
  live(spinner: string): string[]
  /** What was said before we came; messages shown already are left out. */
  earlier(messages: readonly Message[]): void
  /** What the person said waits here until the session has read it. */
  told(text: string): { accepted(mailId: string): void; refused(): void }
  /** The person answered this item here, so its answer is shown already. */
  answered(inboxId: string): void
  waiting(): readonly string[]
}

interface ShownUsage {
  model: string | undefined
  startedAt: number | undefined
  thinking: boolean
}

interface World {
  readonly paper: Paper
  readonly width: () => number
  readonly now: () => number
  readonly changed: () => void
}

interface Told {
  readonly text: string
  /** Said while no turn was open: the text that comes next answers it. */
  readonly begins: boolean
  mailId?: string
}

/** Calls of this tool are not shown: its question and the answer say it already. */
const ASKS = 'ask_human'

export function createChatFeed(session: Session | undefined, world: World): ChatFeed {
  const { paper, width, now, changed } = world
  const calls = createCalls()
  const stream = createTextStream()
  const read = new Set<string>()
  const asked = new Map<string, InboxItem>()
  let told: Told[] = []
  let attempt = ''
  let speaking = false
  let known = 0
  const usage: ShownUsage = {
    model: session?.model,
    startedAt: session?.status === 'running' ? now() : undefined,
    thinking: false,
  }

  const remark = (text: string): void => paper.print('remark', [dim(`  ${cut(text, width() - 2)}`)])
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
    if (!stream.begun || isAhead() || calls.group.some(({ state }) => state === 'running')) return
    closeCalls()
    speak(stream.finished(width()))
  }

  const isAhead = (): boolean => told.some(({ begins }) => begins)

  function finishText(text: string): void {
    speak(stream.end(text, width()))
    speaking = false
  }

  function decided(inboxId: string, how: string): void {
    const item = asked.get(inboxId)
    if (asked.delete(inboxId) && item) paper.print('remark', decisionLines(item.title, how, width()))
  }

  function gone(mailId: string): void {
    read.add(mailId)
    told = told.filter((entry) => entry.mailId !== mailId)
  }

  function appended(message: Message): void {
    if (message.seq <= known) return
    known = message.seq
    calls.logged(message)
    if (message.model) usage.model = message.model
    const text = textOf(message.parts)
    if (message.role === 'assistant' && text.trim()) {
      closeCalls()
      finishText(text)
      if (message.interrupted) remark('(interrupted)')
      if (message.cut) remark('(cut at the limit of its length)')
    }
    if (message.role === 'user') {
      if (message.mailId) gone(message.mailId)
      closeCalls()
      paper.print('person', saidLines(message, width()))
    }
    changed()
  }

  const on: EventHandlers<void> = {
    'turn.started': (_data, { at }) => {
      usage.startedAt = Date.parse(at)
    },
    'turn.ended': () => {
      usage.startedAt = undefined
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
    'mail.answered': ({ mailId }) => gone(mailId),
    'mail.expired': ({ mailId }) => gone(mailId),
    'mail.undeliverable': ({ mailId }) => gone(mailId),
    'inbox.answered': ({ inboxId }) => decided(inboxId, 'answered elsewhere'),
    'inbox.dismissed': ({ inboxId }) => decided(inboxId, 'dismissed'),
    'inbox.expired': ({ inboxId }) => decided(inboxId, 'nobody answered in time'),
    'tool.started': ({ callId, name, preview }, { at }) => {
      if (name !== ASKS) calls.started(callId, name, preview, Date.parse(at))
    },
    'tool.ended': ({ callId, ok, durationMs, preview }) => calls.ended(callId, { ok, durationMs, problem: preview }),
    'tool.denied': ({ callId, name, reason }, { at }) => calls.denied(callId, name, reason, Date.parse(at)),
    'call.parked': ({ callId, name, inboxId }, { at }) => {
      if (inboxId !== undefined && name !== ASKS) calls.waits(callId, name, Date.parse(at))
    },
  }

  const viewer: Viewer = {
    event(event) {
      handleEvent(on, event)
      flow()
      changed()
    },
    delta(delta: Delta) {
      if (delta.kind === 'output') calls.printed(delta.attempt, delta.text)
      if (delta.kind === 'reasoning') usage.thinking = true
      if (delta.kind === 'text' && delta.attempt !== attempt) {
        attempt = delta.attempt
        stream.restart()
        if (speaking) remark('(it begins again)')
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
    remark,
    ended(end, reason) {
      closeCalls()
      speaking = false
      stream.restart()
      if (end !== 'done') remark(`${end === 'error' ? style('red', '✗') : '·'} ${endInWords(end, reason)}`)
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
    get seq() {
      return known
    },
    live(spinner) {
      const text = isAhead() ? [] : stream.tail(width())
      const working = liveGroup(calls.group, width(), now(), spinner)
      return [
        ...(working.length > 0 ? ['', ...working] : []),
        ...(text.length > 0 ? [...(speaking ? [] : ['']), ...text] : []),
      ]
    },
    earlier(messages) {
      for (const message of messages) replay(message)
      closeCalls()
    },
    told(text) {
      const entry: Told = { text, begins: usage.startedAt === undefined }
      told.push(entry)
      const drop = (): void => {
        told = told.filter((other) => other !== entry)
        changed()
      }
      return {
        accepted(mailId) {
          entry.mailId = mailId
          // The receipt may come after the session has read the message.
          if (read.delete(mailId)) drop()
        },
        refused: drop,
      }
    },
    answered: (inboxId) => void asked.delete(inboxId),
    waiting: () => told.map(({ text }) => text),
  }

  function replay(message: Message): void {
    if (message.deletedAt || message.seq <= known) return
    appended(message)
    for (const part of message.parts) {
      if (part.type === 'tool-call' && part.name !== ASKS)
        calls.started(part.callId, part.name, JSON.stringify(part.input), 0)
      if (part.type !== 'tool-result') continue
      calls.ended(part.callId, { ok: !part.error, problem: cut(String(part.output), 200) })
    }
    calls.logged(message)
  }
}

/** A question and what came of it, in place of the call that asked. */
export const decisionLines = (title: string, how: string, width: number): string[] => [
  `${style('yellow', '?')} ${cut(title, width - 2)}`,
  dim(`  → ${cut(how, width - 4)}`),
]
