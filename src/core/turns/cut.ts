import type { Message } from '../../contract/messages.ts'
import type { NewMessage } from '../../store/messages.ts'
import type { StepResult } from '../base/index.ts'
import type { Verdict } from '../permissions/index.ts'
import { newestAnswer } from '../sessions/index.ts'
import type { Turn } from './turn.ts'

/** How often in a row the model is asked to go on with an answer that was cut. */
const GO_ON = 3

/** An answer without its end: why, and how many before it had none either. */
export interface Cut {
  readonly why: string
  readonly times: number
}

/** Counts the answers in a row that were cut. One with calls goes on by itself, because their results follow. */
export function cutIn(turn: Turn, { finish, cut, parts }: StepResult): Cut | undefined {
  const goesOn = finish !== 'length' || parts.some(({ type }) => type === 'tool-call')
  turn.cuts = goesOn ? 0 : turn.cuts + 1
  return goesOn ? undefined : { why: cut ?? 'The answer was cut.', times: turn.cuts }
}

/** The answer with what came before it was cut. */
export const wholeAnswer = ({ history }: Turn, appended: readonly Message[]): string =>
  newestAnswer([...history.messages.slice(-2 * GO_ON), ...appended])

/** A call of which only the beginning came is not run: its input is the text that was cut. */
export const refuseHalf = (result: StepResult, input: unknown): Verdict | undefined =>
  result.finish === 'length' && typeof input === 'string'
    ? {
        verdict: 'refuse',
        because: `Not run: only the beginning of this call came. ${result.cut} Make it again with less in it, for example as several smaller calls.`,
      }
    : undefined

export const goesOn = (cut: Cut): boolean => cut.times <= GO_ON

export const askToGoOn = (turnId: string, { why }: Cut): NewMessage => ({
  role: 'system',
  from: { kind: 'system' },
  turnId,
  parts: [{ type: 'text', text: `${why} Go on exactly where it stopped, and repeat nothing.` }],
})

export const cutReason = ({ why }: Cut): string =>
  `${why} It was asked to go on ${GO_ON} times and came to no end. Send a message to go on, or raise maxOutputTokens of the agent.`
