import type { InboxItem } from '../../contract/inbox.ts'
import type { Run } from '../../contract/runs.ts'
import { troupe } from '../called.ts'
import { cells, cut } from '../chat/cells.ts'
import { dockHints } from '../chat/dock.ts'
import { duration } from '../chat/duration.ts'
import { dim, style } from '../chat/style.ts'
import { price } from '../print.ts'
import { shortRun } from './ref.ts'

interface Moment {
  readonly items: readonly InboxItem[]
  /** Everything is paused. */
  readonly still: boolean
  readonly now: number
  readonly spinner: string
}

const hints = ['@ members · / steers · Ctrl-C leaves, the run goes on', 'Ctrl-C leaves, it goes on', 'Ctrl-C leaves']
const whileStill = [`${troupe} resume --all lets everything go on · Ctrl-C leaves`, `${troupe} resume --all`]
const whilePaused = ['/resume has it go on · Ctrl-C leaves', '/resume has it go on', '/resume']

/** The last line: which run, how far it is, its cost and state; at the right the keys that may be pressed. */
export function runStatusLine(run: Run, { items, still, now, spinner }: Moment, width: number): string {
  const counts = Object.values(run.nodes)
  const all = counts.reduce((sum, count) => sum + count, 0)
  const facts = [
    `run ${shortRun(run)}`,
    `${run.nodes.finished ?? 0} of ${all} nodes`,
    price(run.costUsd, run.unpricedTokens),
    // An answer is kept then, and nothing comes of it yet.
    ...(items.length > 0 && still ? ['everything is paused'] : []),
    ...(items.length > 0 && run.status === 'paused' ? ['paused'] : []),
  ]
  const [item] = items
  const state = item ? '? waiting for you' : still ? 'everything is paused' : stateOf(run, now, spinner)
  const left = cut(facts.join(' · '), width - cells(state) - 3)
  const free = width - cells(left) - cells(state) - 3
  const fits =
    (item ? dockHints(item).map(withoutStop) : still ? whileStill : run.status === 'paused' ? whilePaused : hints).find(
      (text) => cells(text) + 2 <= free,
    ) ?? ''
  const hint = ' '.repeat(Math.max(0, fits ? free - cells(fits) : 0)) + fits
  return `${dim(`${left} ·`)} ${style(item ? 'yellow' : 'cyan', state)}${dim(hint)}`
}

/** In a run nothing is stopped with a key. */
const withoutStop = (text: string): string => text.replace(' · Esc stops', '')

const stateOf = (run: Run, now: number, spinner: string): string => {
  if (run.status !== 'working') return run.status
  if (run.nextCycleAt) return `cycle ${run.cycle ?? ''} in ${duration(Date.parse(run.nextCycleAt) - now)}`
  return `${spinner} working ${duration(now - Date.parse(run.createdAt))}`
}
