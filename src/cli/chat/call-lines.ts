import { summaryOf } from '../../client/call-words.ts'
import { callLine } from '../transcript.ts'
import type { Helpers } from './at-work.ts'
import { helperLines, outcomeLines } from './at-work-lines.ts'
import type { ShownCall } from './calls.ts'
import { cells, cut, tame, wrapCode, wrapWords } from './cells.ts'
import { changeOf } from './diff.ts'
import { duration } from './duration.ts'
import { dim, style } from './style.ts'

const MARGIN = '  '
const marks = { running: '▸', waiting: '▸', done: '▸', failed: '✗', denied: '✗' } as const

/** "▸ bash npm test  2.1 s" */
function foldedCall(call: ShownCall, width: number, now: number, mark: string = marks[call.state]): string {
  const right = [changed(call), elapsed(call, now)].filter(Boolean).join('  ')
  const left = cut(callLine(call), Math.max(10, width - cells(right) - 6))
  const bad = call.state === 'failed' || call.state === 'denied'
  return `${MARGIN}${bad ? style('red', mark) : style('cyan', mark)} ${left}  ${dim(right)}`.trimEnd()
}

/** A finished stretch: one call is shown as it is, several are summed up. A call that failed is never folded away. */
export function foldedGroup(calls: readonly ShownCall[], width: number): string[] {
  const failed = calls.filter(({ state }) => state === 'failed' || state === 'denied')
  const problems = failed.flatMap((call) => [
    ...(calls.length > 1 ? [foldedCall(call, width, 0)] : []),
    ...(call.outcomes?.length ? [] : problemLines(call, width)),
  ])
  const made = outcomeLines(
    calls.flatMap(({ outcomes = [] }) => outcomes),
    width,
  )
  const [only] = calls
  if (only && calls.length === 1) return [foldedCall(only, width, 0), ...problems, ...made]
  const total = calls.reduce((sum, { durationMs }) => sum + (durationMs ?? 0), 0)
  const summary = cut(summaryOf(calls), width - 14)
  return [
    `${MARGIN}${style('cyan', '▸')} ${summary}  ${dim(total > 0 ? duration(total) : '')}`.trimEnd(),
    ...problems,
    ...made,
  ]
}

const PROBLEM = 4

/** Why a call failed, in whole words; of a long output only the beginning, as Ctrl-O shows the rest. */
function problemLines({ problem, state }: ShownCall, width: number): string[] {
  const lines = wrapWords(
    tame(problem ?? state)
      .replace(/\s+/g, ' ')
      .trim(),
    width - 4,
  )
  const rest = lines.length - PROBLEM
  const shown = rest > 0 ? [...lines.slice(0, PROBLEM), `+${rest} more lines, Ctrl-O`] : lines
  return shown.map((line) => dim(`${MARGIN}  ${line}`))
}

/** The calls that run now, below a summary of those that have ended in this stretch. */
export function liveGroup(
  calls: readonly ShownCall[],
  { width, now, spinner, helpers }: { width: number; now: number; spinner: string; helpers?: Helpers },
): string[] {
  const running = calls.filter(({ state }) => state === 'running' || state === 'waiting')
  const ended = calls.filter((call) => !running.includes(call))
  return [
    ...(ended.length > 0 ? foldedGroup(ended, width) : []),
    ...running.slice(-SHOWN).flatMap((call) => {
      const last = call.state === 'running' ? call.output.trimEnd().split('\n').at(-1) : ''
      const said = last?.trim() ? [dim(`${MARGIN}  ${cut(last, width - 4)}`)] : []
      const working = call.sessions && helpers ? helperLines(call.sessions, helpers, width) : []
      return [foldedCall(call, width, now, call.state === 'running' ? spinner : '?'), ...said, ...working]
    }),
  ]
}

const SHOWN = 5
const PER_CALL = 60

/** The calls in full, newest first. */
export function openedCalls(groups: readonly (readonly ShownCall[])[], width: number): string[] {
  const calls = groups.toReversed().flat()
  return calls.length > 0 ? calls.flatMap((call) => openedCall(call, width)) : ['  No tool has been used yet.']
}

/** A call in full: what it was given or changed, and its output. */
export function openedCall(call: ShownCall, width: number): string[] {
  const inner = width - 4
  const change = changeOf(call.name, call.input)
  const given = change ? change.lines : inputLines(call)
  const output = change && call.state === 'done' ? [] : tame(call.output).trimEnd().split('\n').filter(Boolean)
  const body = [...given, ...output.map((line) => dim(line))].flatMap((line) => wrapCode(line, inner))
  const shown =
    body.length > PER_CALL ? [...body.slice(0, PER_CALL), dim(`… ${body.length - PER_CALL} more lines`)] : body
  return [foldedCall(call, width, 0), ...shown.map((line) => `${MARGIN}${dim('│')} ${line}`)]
}

/** The input, only when the folded line could not hold it. */
function inputLines({ name, input }: ShownCall): string[] {
  if (typeof input !== 'object' || input === null) return []
  const fields = Object.entries(input).filter(([, value]) => value !== undefined)
  const [only] = fields
  if (name === 'bash' && typeof only?.[1] === 'string') return only[1].includes('\n') ? tame(only[1]).split('\n') : []
  if (fields.length < 2) return []
  return fields.map(([key, value]) => tame(`${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`))
}

function changed(call: ShownCall): string {
  if (call.state !== 'done') return ''
  const change = changeOf(call.name, call.input)
  return change
    ? [change.added && `+${change.added}`, change.removed && `-${change.removed}`].filter(Boolean).join(' ')
    : ''
}

const elapsed = (call: ShownCall, now: number): string =>
  call.durationMs !== undefined
    ? duration(call.durationMs)
    : call.state === 'running' && now
      ? duration(now - call.startedAt)
      : ''
