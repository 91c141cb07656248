import { isReplay } from '../../contract/recordings.ts'
import type { CallRow } from '../../store/tables.ts'
import type { Tool, ToolOutput } from '../base/index.ts'
import type { Verdict } from '../permissions/index.ts'
import type { Turn } from './turn.ts'

/** What reaches other sessions is done in earnest, as they are replayed as well. All else would have an effect. */
const earnest = ['agents', 'tasks']

const isPlayed = ({ setup }: Turn, tool: Pick<Tool, 'capabilities'> | undefined): boolean =>
  isReplay(setup.model) && tool !== undefined && !tool.capabilities.every((one) => earnest.includes(one))

/** Nobody is asked about a call of which only the result is played. What is refused now differs from the recording, and shows. */
export const verdictIn = (turn: Turn, name: string, verdict: Verdict): Verdict =>
  verdict.verdict === 'ask' && isPlayed(turn, turn.setup.judge.tools.get(name))
    ? { verdict: 'run', because: 'only its result is replayed', may: verdict.may }
    : verdict

/** The recorded result of a call that must not run; undefined where the call runs. */
export async function resultPlayed(turn: Turn, call: CallRow, tool: Tool): Promise<ToolOutput | undefined> {
  if (!isPlayed(turn, tool)) return undefined
  const { runtime, model } = turn.setup
  const recorded = await runtime.replayed?.(turn.project, model, { vendorCallId: call.vendor_call_id, name: call.name })
  return recorded ?? { output: `${call.name} was not run: the model ${model} plays no recording.`, error: true }
}
