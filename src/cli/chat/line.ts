import { clean } from '../../lib/hidden.ts'
import type { Choice } from '../inbox-answers.ts'
import { accept, type Completion, completionFor, type Known } from './completion.ts'
import { type Draft, draftOf, edits, emptyDraft, insert, vertical } from './draft.ts'
import type { InputHistory } from './history.ts'
import type { Key } from './keys.ts'

/** The line where the person types: text, history, suggestions. */
export interface Line {
  readonly draft: Draft
  readonly completion: Completion | undefined
  /** Which suggestion Enter or Tab takes. */
  readonly chosen: number
  /** Returns whether the key meant something here. */
  press(key: Key): boolean
  set(text: string): void
  /** Hides the suggestions until something else is typed. */
  dismiss(): void
}

interface World {
  readonly history: InputHistory
  readonly known: Known
  /** The answers that the arrow keys choose from. */
  readonly choices: () => readonly Choice[]
  readonly submit: (text: string) => void
}

const newLine = new Set(['alt-enter', 'shift-enter', 'ctrl-enter', 'ctrl-j'])

export function createLine({ history, known, choices, submit }: World): Line {
  let draft = emptyDraft
  let chosen = 0
  let dismissed = false

  const completion = (): Completion | undefined => (dismissed ? undefined : completionFor(draft, known))

  function change(next: Draft): true {
    if (next.text !== draft.text) {
      history.forget()
      chosen = 0
      dismissed = false
    }
    draft = next
    return true
  }

  function enter(): true {
    const open = completion()
    const item = open?.items[chosen]
    if (open && item) {
      const done = accept(draft, open, item)
      // A mention is part of a message, so typing goes on; a command is complete and is submitted.
      if (!draft.text.startsWith('/')) return change(done)
      draft = done
    }
    if (draft.text.slice(0, draft.at).endsWith('\\')) return change(insert(edits.backspace!(draft), '\n'))
    const text = draft.text.trim()
    if (text === '') return true
    history.add(text)
    change(emptyDraft)
    submit(text)
    return true
  }

  function vertically(by: -1 | 1): true {
    const open = completion()
    if (open) {
      chosen = (chosen + by + open.items.length) % open.items.length
      return true
    }
    if (chooseAnswer(by)) return true
    const moved = vertical(draft, by)
    if (moved) return change(moved)
    const text = by < 0 ? history.older(draft.text) : history.younger()
    if (text !== undefined) {
      draft = draftOf(text)
      dismissed = true
    }
    return true
  }

  function chooseAnswer(by: -1 | 1): boolean {
    const open = choices()
    const at = open.findIndex(({ says }) => says(draft.text))
    if (open.length === 0 || (draft.text !== '' && at < 0)) return false
    const next = at < 0 ? (by > 0 ? 0 : open.length - 1) : (at + by + open.length) % open.length
    return change(draftOf(open[next]!.key))
  }

  return {
    get draft() {
      return draft
    },
    get completion() {
      return completion()
    },
    get chosen() {
      return chosen
    },
    press({ name, text = '' }) {
      if (name === 'text') return change(insert(draft, text))
      // Pasted text may hold codes that move the cursor, and the line shows it.
      if (name === 'paste') return change(insert(draft, clean(text)))
      if (newLine.has(name)) return change(insert(draft, '\n'))
      if (name === 'enter') return enter()
      if (name === 'up' || name === 'ctrl-p') return vertically(-1)
      if (name === 'down' || name === 'ctrl-n') return vertically(1)
      const open = completion()
      const item = open?.items[chosen]
      if (name === 'tab' && open && item) return change(accept(draft, open, item))
      const edit = edits[name]
      return edit ? change(edit(draft)) : false
    },
    set: (next) => void change(draftOf(next)),
    dismiss() {
      dismissed = true
    },
  }
}
