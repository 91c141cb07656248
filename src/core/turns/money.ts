import type { Message } from '../../contract/messages.ts'
import type { SessionRow, TurnRow } from '../../store/tables.ts'
import { updateTurn } from '../../store/turns.ts'
import type { Quote, Tx } from '../base/index.ts'
import { askForMore, budgetInWords, joinLine, leaveLine } from '../budgets/index.ts'
import { rest } from '../sessions/index.ts'
import { dollars, estimateInput, reserve, type Short, toUsd } from '../spending/index.ts'
import { taskWaits } from '../tasks/index.ts'
import { endTurn, LEAVE } from './end.ts'
import type { Turn } from './turn.ts'

/** One call of the model in a turn, with the output that the money put aside for it is enough for. */
export interface ModelCall {
  readonly turnId: string
  readonly iteration: number
  readonly paid?: number | undefined
}

/** Which request of a turn it is: the key of its row, and of the money that was put aside for it. */
export const requestId = ({ turnId, iteration }: Pick<ModelCall, 'turnId' | 'iteration'>, attempt: number): string =>
  `${turnId}:${iteration}.${attempt}`

interface Wanted {
  readonly id: string
  readonly quote: Quote | undefined
  /** Where it is not the session's next step. */
  readonly size?: RequestSize | undefined
}

/** How many tokens a request has the model read, and how many it may write. */
export interface RequestSize {
  readonly input: number
  readonly output: number
}

/** Puts money aside for a request; the tokens of output that it is enough for, or which budget is too small. */
async function take(
  { core, setup, schemas, history, purse }: Turn,
  tx: Tx,
  { session, row, appended }: { session: SessionRow; row: TurnRow; appended: readonly Message[] },
  { id, quote, size }: Wanted,
): Promise<number | undefined | Short> {
  if (purse === undefined || quote === undefined) return undefined
  const step = (): RequestSize => ({
    input: estimateInput({ system: setup.prompt, tools: schemas, history: [...history.messages, ...appended] }),
    output: setup.definition.maxOutputTokens ?? quote.outputTokens,
  })
  const reserved = await reserve(core, tx, { session, turn: row, purse }, { id, quote, ...(size ?? step()) })
  return 'output' in reserved ? reserved.output : reserved
}

/** For a request that is made again or elsewhere. Where the money is short, the next safe point decides what becomes of it. */
export async function moneyFor(
  turn: Turn,
  tx: Tx,
  session: SessionRow,
  wanted: Wanted,
): Promise<number | undefined | 'none'> {
  if (turn.row === undefined) return undefined
  const taken = await take(turn, tx, { session, row: turn.row, appended: [] }, wanted)
  return typeof taken === 'object' ? 'none' : taken
}

/** For the first request of a step. Without money the turn waits in line, or for a person, or ends. */
export async function moneyAtSafePoint(
  turn: Turn,
  tx: Tx,
  at: { readonly session: SessionRow; readonly row: TurnRow; readonly appended: readonly Message[] },
  iteration: number,
): Promise<{ readonly paid: number | undefined } | typeof LEAVE> {
  const { plan } = turn
  const quote = plan && 'quotes' in plan ? plan.quotes.get(plan.candidate) : undefined
  const taken = await take(turn, tx, at, { id: requestId({ turnId: at.row.id, iteration }, 1), quote })
  if (typeof taken !== 'object') {
    await leaveLine(tx, at.session, at.row)
    return { paid: taken }
  }
  return waitForMoney(turn, tx, at, taken)
}

async function waitForMoney(
  { setup }: Turn,
  tx: Tx,
  { session, row }: { session: SessionRow; row: TurnRow },
  short: Short,
): Promise<typeof LEAVE> {
  const words = await budgetInWords(tx.db, short.budget)
  const needed = `the next request may cost ${dollars(toUsd(short.nanos))}`
  const attended = setup.unattended(row.chain_id) === 'wait'
  const asked = short.needs === 'room' ? 'in line' : await askForMore(tx, session, row, short, { attended })
  if (asked === 'stopped') {
    const reason = `Stopped at the limit of ${words.limit}: ${words.state}, and ${needed}. Raise the limit, then send a message to go on.`
    return endTurn(tx, session, row, 'limit', reason)
  }
  await joinLine(tx, row, short)
  const reason =
    short.needs === 'room'
      ? `Waiting for money that others have reserved in the budget of ${words.of}.`
      : `Waiting for your decision about the budget of ${words.of}: ${words.state}, and ${needed}.`
  row.waiting_since = tx.now
  await updateTurn(tx.db, row)
  if (session.task_id !== null) await taskWaits(tx, session, reason, { person: short.needs === 'raise' })
  rest(session, 'waiting', reason)
  return LEAVE
}
