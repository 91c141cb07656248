import { shorten } from '../../lib/shorten.ts'
import type { Tool } from '../base/index.ts'
import type { Offer } from './offer.ts'

/** What the list may take of every request, however many tools there are. */
const LIST_CHARS = 3200
const LINE_CHARS = 90
const NAMES_CHARS = 400
const GROUPS = 30

/**
 * The tools that are known but not loaded, by name and one line, as text of a prompt; where they are too many, by server
 * with some of their names. Loaded tools that were added here are named as well, so that a change of them is seen.
 */
export function listing({ loaded, listed }: Offer): string {
  const added = loaded.filter(({ tool }) => tool.origin !== undefined).map(({ tool }) => tool.name)
  const parts = [
    listed.length > 0 ? `Known but not loaded. ${SEARCHING}:\n${linesOf(listed.map(({ tool }) => tool))}` : '',
    added.length > 0 ? `Loaded beside the usual ones: ${shorten(added.join(', '), LIST_CHARS)}.` : '',
  ]
  return parts.filter(Boolean).join('\n')
}

const SEARCHING = 'tool_search loads them, by name or by words about what you need'

function linesOf(tools: readonly Tool[]): string {
  const each = tools.map((tool) => `- ${tool.name}: ${oneLine(tool.description)}`)
  if (charsOf(each) <= LIST_CHARS) return each.join('\n')
  const own = tools.filter(({ origin }) => origin === undefined)
  const groups = grouped(tools.filter(({ origin }) => origin !== undefined))
  const first = own.map((tool) => `- ${tool.name}: ${oneLine(tool.description)}`)
  const shown = groups.slice(0, GROUPS)
  const room = Math.max(0, LIST_CHARS - charsOf(first)) / Math.max(1, shown.length)
  const left = groups.slice(GROUPS).reduce((sum, [, names]) => sum + names.length, 0)
  const more = left > 0 ? [`- and ${left} tools of ${groups.length - GROUPS} others`] : []
  return [...first, ...shown.map((group) => groupLine(group, Math.min(room, NAMES_CHARS))), ...more].join('\n')
}

type Group = readonly [string, readonly string[]]

function grouped(tools: readonly Tool[]): Group[] {
  const groups = new Map<string, string[]>()
  for (const { name, origin } of tools) {
    const group = origin?.group ?? `${origin?.source ?? ''} tools`
    groups.set(group, [...(groups.get(group) ?? []), name])
  }
  return [...groups]
}

/** As many of its names as there is room for. */
function groupLine([group, names]: Group, room: number): string {
  const head = `- ${shorten(group, LINE_CHARS)} (${names.length} tools)`
  let left = room - head.length
  const fits = names.filter((name) => {
    left -= name.length + 2
    return left >= 0
  })
  if (fits.length === 0) return head
  return `${head}: ${fits.join(', ')}${fits.length < names.length ? ', …' : ''}`
}

/** The first sentence, or what fits of it. */
function oneLine(description: string): string {
  const flat = description.replace(/\s+/g, ' ').trim()
  return shorten(/^.+?[.!?](?=\s)/.exec(flat)?.[0] ?? flat, LINE_CHARS)
}

const charsOf = (lines: readonly string[]): number => lines.reduce((sum, line) => sum + line.length + 1, 0)
