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

const SEARCHING = 'tool_search loads them'

function linesOf(tools: readonly Tool[]): string {
  const own = tools.filter(({ origin }) => origin === undefined).map(inBrief)
  const added = tools.filter(({ origin }) => origin !== undefined)
  const each = added.map(({ name, description }) => `- ${name}: ${oneLine(description)}`)
  const room = LIST_CHARS - charsOf(own)
  const lines = charsOf(each) <= room ? each : groupLines(grouped(added), room)
  return [...(own.length > 0 ? [own.join(', ')] : []), ...lines].join('\n')
}

/** Built-in ones are known by few words. */
const inBrief = ({ name, rare }: Tool): string => (typeof rare === 'string' && rare !== '' ? `${name} (${rare})` : name)

function groupLines(groups: readonly Group[], room: number): string[] {
  const shown = groups.slice(0, GROUPS)
  const each = Math.min(NAMES_CHARS, Math.max(0, room) / Math.max(1, shown.length))
  const left = groups.slice(GROUPS).reduce((sum, [, names]) => sum + names.length, 0)
  const more = left > 0 ? [`- and ${left} tools of ${groups.length - GROUPS} others`] : []
  return [...shown.map((group) => groupLine(group, each)), ...more]
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
