import type { Top, TopItem } from '../contract/top.ts'
import { troupe } from './called.ts'
import { cells, cut, padTo, tame } from './chat/cells.ts'
import { bold, dim, style } from './chat/style.ts'
import { ago, price } from './print.ts'

/** What goes on, as lines of a table: the activity gets what the other columns leave. What does not fit is counted. */
export function topLines(top: Top, width: number, now = Date.now(), height = Number.POSITIVE_INFINITY): string[] {
  const { tasks } = top
  const running = top.items.filter(({ status }) => status === 'running').length
  const head = [
    // What waits for the person comes first: on a narrow screen the end is cut.
    ...(top.inbox > 0 ? [`${top.inbox} for you in the inbox`] : []),
    `${running} running, ${top.items.length + top.more - running} waiting`,
    `tasks ${tasks.processing} processing, ${tasks.waiting} waiting, ${tasks.pending} in line`,
    `${top.tokensPerSecond.toFixed(1)} tokens/s`,
    `today ${price(top.costTodayUsd, top.unpricedTokensToday)}`,
  ]
  if (top.items.length === 0) return [bold(cut(head.join(' · '), width)), dim('Nothing runs and nothing waits.')]
  const fits = top.items.length + 2 + (top.more > 0 ? 1 : 0) <= height
  const items = fits ? top.items : top.items.slice(0, Math.max(1, height - 3))
  const more = top.more + top.items.length - items.length
  const rows = items.map((item) => cellsOf(item, now))
  const titles = ['AGENT', 'STATE', 'FOR', 'TOK/S', 'COST']
  const widths = titles.map((title, at) =>
    Math.min(WIDEST, Math.max(...[title, ...rows.map((row) => row[at]!)].map(cells))),
  )
  const line = (columns: readonly string[], activity: string): string => {
    const fixed = columns.map((cell, at) => padTo(cut(cell, widths[at]!) || '', widths[at]!)).join('  ')
    return `${fixed}  ${cut(activity, Math.max(10, width - cells(fixed) - 2))}`
  }
  return [
    bold(cut(head.join(' · '), width)),
    dim(line(titles, 'ACTIVITY')),
    ...items.map((item, at) => coloured(item, line(rows[at]!, tame(item.activity)))),
    ...(more > 0 ? [dim(`… and ${more} more: ${troupe} sessions`)] : []),
  ]
}

const WIDEST = 32
/** Blanks at the beginning of a cell would be cut. */
const INDENT = '· '

const cellsOf = (item: TopItem, now: number): string[] => [
  `${INDENT.repeat(item.depth)}${item.agent} ${item.handle}`,
  item.taskStatus === 'pending' ? 'in line' : item.status,
  ago(item.since, now).replace(' ago', '').replace('just now', '<1m'),
  item.tokensPerSecond.toFixed(1),
  price(item.totalCostUsd, item.unpricedTokens),
]

function coloured({ status }: TopItem, line: string): string {
  if (status === 'running') return style('green', line)
  return status === 'paused' ? dim(line) : line
}
