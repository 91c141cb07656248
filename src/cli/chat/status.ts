import { price } from '../print.ts'
import { cells, cut } from './cells.ts'
import { duration } from './duration.ts'
import { dim, style } from './style.ts'

export interface Status {
  readonly agent: string
  readonly handle?: string | undefined
  readonly model?: string | undefined
  readonly tokens: number
  /** Includes what its children cost. */
  readonly costUsd: number
  readonly unpricedTokens: number
  readonly state: 'new' | 'idle' | 'working' | 'thinking' | 'waiting for you' | 'paused' | 'everything is paused'
  /** Of the running turn. */
  readonly elapsedMs?: number | undefined
  readonly spinner: string
  /** Which keys may be pressed, the longest wording first; the first that fits is shown. */
  readonly hints: readonly string[]
}

const colours = {
  working: 'cyan',
  thinking: 'cyan',
  'waiting for you': 'yellow',
  paused: 'yellow',
  'everything is paused': 'yellow',
} as const

/** The last line: agent, model, cost and state; at the right the keys that may be pressed. */
export function statusLine(status: Status, width: number): string {
  const state = stateOf(status)
  const facts = [
    [status.agent, status.handle].filter(Boolean).join(' '),
    status.model,
    `${shortCount(status.tokens)} tokens`,
    price(status.costUsd, status.unpricedTokens),
  ].filter(Boolean)
  const left = cut(facts.join(' · '), width - cells(state) - 3)
  const free = width - cells(left) - cells(state) - 3
  const fits = status.hints.find((text) => cells(text) + 2 <= free) ?? ''
  const hint = ' '.repeat(Math.max(0, fits ? free - cells(fits) : 0)) + fits
  return `${dim(`${left} ·`)} ${paintState(status, state)}${dim(hint)}`
}

function stateOf({ state, elapsedMs, spinner }: Status): string {
  if (state === 'working' || state === 'thinking')
    return `${spinner} ${state}${elapsedMs === undefined ? '' : ` ${duration(elapsedMs)}`}`
  if (state === 'waiting for you') return '? waiting for you'
  return state
}

const paintState = ({ state }: Status, text: string): string => {
  const colour = (colours as Record<string, 'cyan' | 'yellow'>)[state]
  return colour ? style(colour, text) : dim(text)
}

export const shortCount = (tokens: number): string => {
  if (tokens < 1000) return String(tokens)
  return tokens < 1_000_000 ? `${(tokens / 1000).toFixed(1)}k` : `${(tokens / 1_000_000).toFixed(1)}M`
}
