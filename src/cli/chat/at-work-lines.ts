import type { AgentResult } from '../../client/outcomes.ts'
import { price } from '../print.ts'
import { previewLine } from '../transcript.ts'
import { DEPTH, type Helper, type Helpers } from './at-work.ts'
import { cut, PROSE, tame, wrapWords } from './cells.ts'
import { duration } from './duration.ts'
import { bold, dim, style } from './style.ts'

/** How many helpers of one call have lines; the newest of them. */
const SHOWN = 4
const WORDS = 3

/** "coder 4f2a ▸ grep TODO" for each helper at work, its own helpers below it. */
export function helperLines(ids: readonly string[], helpers: Helpers, width: number, depth = 1): string[] {
  if (depth > DEPTH) return []
  const known = ids.flatMap((id) => helpers.find(id) ?? [])
  const shown = known.slice(-SHOWN)
  const rest = ids.length - shown.length
  return [
    ...(rest > 0 && known.length > 0 ? [dim(`${indent(depth)}+${rest} more`)] : []),
    ...shown.flatMap((helper) => [
      working(helper, width, depth),
      ...[...helper.calls.values()].flatMap(({ sessions = [] }) => helperLines(sessions, helpers, width, depth + 1)),
    ]),
  ]
}

function working({ session, calls, last: before }: Helper, width: number, depth: number): string {
  const who = `${session.agent} ${session.handle}`
  const last = [...calls.values()].at(-1) ?? before
  const space = width - indent(depth).length - who.length - 4
  if (last?.asks) return `${indent(depth)}${bold(who)} ${style('yellow', '? waits for you')}`
  const does = last ? previewLine(last.name, last.preview) : session.status === 'running' ? 'thinks' : 'begins'
  return `${indent(depth)}${bold(who)} ${style('cyan', '▸')} ${dim(cut(does, space))}`
}

/** "coder 4f2a ✓ 12.3 s · $0.0031", and the first of its words. */
export function outcomeLines(outcomes: readonly AgentResult[], width: number): string[] {
  return outcomes.flatMap((outcome) => {
    const { agent, session, ok, durationMs, text } = outcome
    const mark = ok === undefined ? style('cyan', '▸') : ok ? style('green', '✓') : style('red', '✗')
    const took = durationMs === undefined ? [] : [duration(durationMs)]
    const facts = ok === undefined ? ['still at work'] : [...took, price(outcome.costUsd, outcome.unpricedTokens)]
    return [`${indent(1)}${bold(`${agent} ${session}`)} ${mark} ${dim(facts.join(' · '))}`, ...words(text, width)]
  })
}

function words(text: string, width: number): string[] {
  const lines = tame(text)
    .trim()
    .split('\n')
    .flatMap((line) => wrapWords(line, Math.min(width, PROSE) - 6))
    .filter((line) => line.trim() !== '')
  const shown = lines.slice(0, WORDS).map((line) => `${indent(1)}${dim('│')} ${line}`)
  const rest = lines.length - shown.length
  return rest > 0 ? [...shown, dim(`${indent(1)}│ +${rest} more lines, Ctrl-O`)] : shown
}

const indent = (depth: number): string => '  '.repeat(depth + 1)
