import type { InboxItem } from '../../contract/inbox.ts'
import { cut } from './cells.ts'
import { completionLines } from './completion.ts'
import { layDraft } from './composer.ts'
import { dock } from './dock.ts'
import type { Position } from './frame.ts'
import type { Line } from './line.ts'
import { accent, dim } from './style.ts'

interface Scene {
  /** What the agent writes or does right now; this part shrinks first when there is little room. */
  readonly live: readonly string[]
  /** Messages that the session has not read yet. While the session is busy they wait for its next safe point. */
  readonly unread: readonly string[]
  readonly busy: boolean
  /** The agent's to-do list. */
  readonly todos: readonly string[]
  readonly items: readonly InboxItem[]
  /** What the person has opened; undefined when nothing is open. */
  readonly panel: ((height: number) => readonly string[]) | undefined
  readonly line: Line
  readonly placeholder: string
  readonly status: string
}

const QUEUED = 4

/** The frame's lines, never more than the screen has. */
export function compose(scene: Scene, width: number, rows: number): { lines: string[]; cursor: Position } {
  const { line, items, status } = scene
  const room = Math.max(6, rows - 1)
  const draft = layDraft(line.draft, width - 2, Math.max(1, Math.floor(room / 3)))
  const typed = line.draft.text === '' ? [dim(cut(scene.placeholder, width - 2))] : draft.lines
  const composer = typed.map((text, row) => `${row === 0 ? accent('›') : ' '} ${text}`)
  const list = line.completion ? completionLines(line.completion, line.chosen, width) : []
  const below = [...composer, ...list, status]
  const [item] = items
  const queued = unreadLines(scene.unread, scene.busy ? 'queued ›' : '›', width)
  const left = room - below.length - 2
  const place = { width, height: left - 2, opened: scene.panel !== undefined }
  const question = item ? ['', ...dock(item, line.draft.text, items.length - 1, place)].slice(0, Math.max(0, left)) : []
  const panel = scene.panel?.(Math.max(0, Math.min(left - question.length, Math.floor(room * 0.6)))) ?? []
  const todos = scene.todos.slice(0, Math.floor(room / 3))
  const over = (item ? [...panel, ...question] : [...todos, ...queued, ...panel]).slice(0, Math.max(0, left))
  const free = Math.max(0, left - over.length)
  const live = free > 0 ? scene.live.slice(-free) : []
  const above = [...live, ...over, '', dim('─'.repeat(width))]
  return {
    lines: [...above, ...below],
    cursor: { row: above.length + draft.cursor.row, column: 2 + draft.cursor.column },
  }
}

function unreadLines(texts: readonly string[], label: string, width: number): string[] {
  if (texts.length === 0) return []
  const shown = texts.slice(0, QUEUED).map((text) => dim(`  ${label} ${cut(text, width - 12)}`))
  const rest = texts.length - shown.length
  return ['', ...shown, ...(rest > 0 ? [dim(`  and ${rest} more`)] : [])]
}
