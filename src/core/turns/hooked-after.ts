import { inputOf, updateCall } from '../../store/calls.ts'
import type { CallRow } from '../../store/tables.ts'
import type { ToolOutput } from '../base/index.ts'
import { hearAfter } from '../hooks/index.ts'
import type { CallOutcome, Settled } from './call-rows.ts'
import { hooksIn, momentOf } from './hooked.ts'
import { asTurn, type Turn } from './turn.ts'

/** The result is durable before hooks are told of it: a crash meanwhile runs the hooks again, never the call. */
export const keepResult = (turn: Turn, call: CallRow, result: ToolOutput): Promise<void> =>
  asTurn(turn, 'tool.keep', (tx) => updateCall(tx.db, call.id, { state: 'resolved', result: JSON.stringify(result) }))

/** The result with what its hooks have to say. Whoever stops them gets it without. */
export async function withHooks(turn: Turn, settled: Settled): Promise<CallOutcome> {
  const { call, result } = settled
  const hooks = hooksIn(turn, 'afterTool', call.name)
  if (hooks.length === 0) return settled
  const about = { id: call.id, name: call.name, input: inputOf(call) }
  const heard = await hearAfter(momentOf(turn), hooks, about, result, turn.stop.signal)
  if (heard !== undefined) return { ...settled, ...heard }
  return turn.lease.signal.aborted ? { call, kept: true } : settled
}
