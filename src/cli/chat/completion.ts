import { cut } from './cells.ts'
import type { Draft } from './draft.ts'
import { matching } from './files.ts'
import { accent, dim } from './style.ts'

export interface Suggestion {
  /** The text that replaces what was typed. */
  readonly insert: string
  readonly label: string
  readonly about: string
}

/** What the word at the cursor could become, and where that word begins. */
export interface Completion {
  readonly from: number
  readonly items: readonly Suggestion[]
}

export interface Known {
  /** What may follow a slash: commands of the chat, and skills. */
  commands(): readonly { readonly name: string; readonly does: string }[]
  /** What may follow a command, such as models after /model. */
  argument(command: string): readonly Suggestion[]
  files(): readonly string[]
  agents(): readonly { readonly name: string; readonly description: string }[]
}

const SHOWN = 8
const FOUND = 50

export function completionFor({ text, at }: Draft, known: Known): Completion | undefined {
  const before = text.slice(0, at)
  const command = /^\/(\S*)$/.exec(before)
  if (command) return some(0, commands(known, command[1]!))
  const argument = /^\/(\S+) +(\S*)$/.exec(before)
  if (argument) return some(at - argument[2]!.length, startingWith(known.argument(argument[1]!), argument[2]!))
  const mention = /(?:^|\s)@(\S*)$/.exec(before)
  if (mention) return some(at - mention[1]!.length - 1, mentions(known, mention[1]!))
  return undefined
}

export function accept({ text, at }: Draft, { from }: Completion, { insert }: Suggestion): Draft {
  // After a folder the person types on towards a file, so no space follows.
  const end = insert.endsWith('/') ? '' : ' '
  const after = text.slice(at).replace(/^ /, '')
  return { text: text.slice(0, from) + insert + end + after, at: from + insert.length + end.length }
}

/** The list below the line; `chosen` stays in sight. */
export function completionLines({ items }: Completion, chosen: number, width: number): string[] {
  const from = Math.max(0, Math.min(chosen - SHOWN + 1, items.length - SHOWN))
  const label = Math.min(48, Math.max(...items.map(({ label }) => label.length)))
  return items.slice(from, from + SHOWN).map((item, row) => {
    const name = cut(item.label, label).padEnd(label)
    const about = dim(cut(item.about, width - label - 6))
    return from + row === chosen ? `${accent(`▸ ${name}`)}  ${about}` : `  ${name}  ${about}`
  })
}

const some = (from: number, items: readonly Suggestion[]): Completion | undefined =>
  items.length > 0 ? { from, items } : undefined

const commands = (known: Known, typed: string): Suggestion[] =>
  known
    .commands()
    .filter(({ name }) => name.startsWith(typed))
    .map(({ name, does }) => ({ insert: `/${name}`, label: `/${name}`, about: does }))

const startingWith = (items: readonly Suggestion[], typed: string): Suggestion[] =>
  items.filter(({ insert }) => insert.includes(typed)).slice(0, FOUND)

function mentions(known: Known, typed: string): Suggestion[] {
  const agents = known
    .agents()
    .filter(({ name }) => name.startsWith(typed))
    .map(({ name, description }) => ({ insert: `@${name}`, label: `@${name}`, about: `agent: ${description}` }))
  const files = matching(known.files(), typed, FOUND).map((path) => ({ insert: `@${path}`, label: path, about: '' }))
  return typed === '' ? [...files.slice(0, FOUND), ...agents] : [...agents, ...files]
}
