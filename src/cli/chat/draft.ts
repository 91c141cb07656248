import { graphemesOf } from './cells.ts'

/** The text being typed, and where the cursor is in it. */
export interface Draft {
  readonly text: string
  readonly at: number
}

export const emptyDraft: Draft = { text: '', at: 0 }
export const draftOf = (text: string): Draft => ({ text, at: text.length })

export const insert = ({ text, at }: Draft, piece: string): Draft => ({
  text: text.slice(0, at) + piece + text.slice(at),
  at: at + piece.length,
})

const remove = ({ text }: Draft, from: number, to: number): Draft => ({
  text: text.slice(0, from) + text.slice(to),
  at: from,
})

type Edit = (draft: Draft) => Draft
const to =
  (where: (draft: Draft) => number): Edit =>
  (draft) => ({ ...draft, at: where(draft) })
const before =
  (where: (draft: Draft) => number): Edit =>
  (draft) =>
    remove(draft, where(draft), draft.at)
const behind =
  (where: (draft: Draft) => number): Edit =>
  (draft) =>
    remove(draft, draft.at, where(draft))

/** One character as a person sees it: an emoji of seven code points is one. */
const left = ({ text, at }: Draft): number =>
  at - (graphemesOf(text.slice(Math.max(0, at - 64), at)).at(-1)?.length ?? 0)
const right = ({ text, at }: Draft): number => at + (graphemesOf(text.slice(at, at + 64))[0]?.length ?? 0)
const wordLeft = ({ text, at }: Draft): number => text.slice(0, at).replace(/[^\s]+\s*$|\s+$/u, '').length
const wordRight = ({ text, at }: Draft): number => at + (/^\s*[^\s]*/u.exec(text.slice(at))?.[0].length ?? 0)
const lineStart = ({ text, at }: Draft): number => text.lastIndexOf('\n', at - 1) + 1
const lineEnd = ({ text, at }: Draft): number => (text.indexOf('\n', at) < 0 ? text.length : text.indexOf('\n', at))

/** The editing keys, as every shell has them. */
export const edits: Readonly<Record<string, Edit>> = {
  left: to(left),
  'ctrl-b': to(left),
  right: to(right),
  'ctrl-f': to(right),
  'ctrl-left': to(wordLeft),
  'alt-left': to(wordLeft),
  'alt-b': to(wordLeft),
  'ctrl-right': to(wordRight),
  'alt-right': to(wordRight),
  'alt-f': to(wordRight),
  home: to(lineStart),
  'ctrl-a': to(lineStart),
  end: to(lineEnd),
  'ctrl-e': to(lineEnd),
  backspace: before(left),
  'shift-backspace': before(left),
  'ctrl-backspace': before(wordLeft),
  'alt-backspace': before(wordLeft),
  'ctrl-w': before(wordLeft),
  'ctrl-u': before(lineStart),
  delete: behind(right),
  'ctrl-k': behind(lineEnd),
}

/** Moves the cursor to the same column one line up or down; undefined when there is no such line. */
export function vertical(draft: Draft, by: -1 | 1): Draft | undefined {
  const start = lineStart(draft)
  const column = draft.at - start
  if (by < 0) {
    if (start === 0) return undefined
    const above = draft.text.lastIndexOf('\n', start - 2) + 1
    return { ...draft, at: Math.min(above + column, start - 1) }
  }
  const end = lineEnd(draft)
  if (end === draft.text.length) return undefined
  const below = end + 1
  return { ...draft, at: Math.min(below + column, lineEnd({ ...draft, at: below })) }
}
