import { isReplay } from '../../contract/recordings.ts'
import { crashPoint } from '../../lib/process/crash.ts'
import { shorten } from '../../lib/shorten.ts'
import { finishCalls, hookedOf, inputOf, updateCall } from '../../store/calls.ts'
import type { NewMessage } from '../../store/messages.ts'
import type { CallRow, SessionRow } from '../../store/tables.ts'
import { aboutSession, type ToolOutput, type Tx } from '../base/index.ts'
import type { Hook } from '../config/index.ts'
import { type HeardBefore, hearBefore, hooksAt, type Moment, recordRuns } from '../hooks/index.ts'
import { judge, type Verdict } from '../permissions/index.ts'
import { park, parkForApproval } from '../waits/index.ts'
import { NOT_ASKED, NOT_KEPT } from './not-kept.ts'
import { logRefusal } from './refusals.ts'
import { resultMessage } from './result-message.ts'
import { judgeIn, type Turn } from './turn.ts'

/** What the hooks before a call said, and what the rules say of the input that they left. */
export interface Heard extends HeardBefore {
  readonly call: CallRow
  readonly verdict: Verdict
}

export const momentOf = (turn: Turn): Moment => ({
  core: { ...turn.core, runner: turn.lease },
  project: turn.project,
  agent: turn.setup.agent,
  mode: turn.setup.mode,
  taskId: turn.about.taskId,
  judge: judgeIn(turn),
})

/** The hooks of an event. Where a recording is played nothing runs, hooks neither. */
export const hooksIn = ({ setup }: Turn, event: Hook['event'], tool?: string): Hook[] =>
  setup.hooks.length === 0 || isReplay(setup.model) ? [] : hooksAt(setup.hooks, event, tool)

/** Whether hooks have to be heard before the call may begin. */
export const isUnheard = (turn: Turn, call: CallRow): boolean =>
  (call.state === 'ready' || call.state === 'started') &&
  hookedOf(call).heard !== true &&
  hooksIn(turn, 'beforeTool', call.name).length > 0

/** The rows say which hooks are waited for, so that `why` can. */
export async function waitForHooks(turn: Turn, tx: Tx, calls: readonly CallRow[]): Promise<void> {
  for (const call of calls) {
    const names = hooksIn(turn, 'beforeTool', call.name).map(({ name }) => name)
    call.hooked = JSON.stringify({ waits: names, since: tx.now })
    await updateCall(tx.db, call.id, { hooked: call.hooked })
  }
}

/** Runs the hooks of each call. What was stopped is not among the results: it is heard again, or given up. */
export async function hearCalls(turn: Turn, calls: readonly CallRow[]): Promise<Heard[]> {
  const at = momentOf(turn)
  const heard = await Promise.all(
    calls.map(async (call): Promise<Heard | undefined> => {
      const input = call.hidden ? turn.inputs.get(call.id) : inputOf(call)
      // Nobody can judge what is not there any more.
      if (input === undefined) return { ...LOST, call }
      const hooks = hooksIn(turn, 'beforeTool', call.name)
      const before = await hearBefore(at, hooks, { id: call.id, name: call.name, input }, turn.stop.signal)
      if (before.aborted) return undefined
      return { ...before, call, verdict: await judge(at.judge, { name: call.name, input: before.input }) }
    }),
  )
  crashPoint('hook.heard')
  return heard.filter((one) => one !== undefined)
}

const LOST = {
  runs: [],
  input: undefined,
  changedBy: [],
  verdict: { verdict: 'refuse', because: NOT_KEPT },
} as const satisfies Omit<Heard, 'call'>

/** From here on the call is what its hooks left of it: that is judged, asked about, recorded and run. */
export async function writeHeard(
  turn: Turn,
  tx: Tx,
  session: SessionRow,
  heard: readonly Heard[],
): Promise<NewMessage[]> {
  const refusals: NewMessage[] = []
  for (const { call, runs, input, changedBy, denied, verdict } of heard) {
    await recordRuns(turn.core, tx, session, runs, { callId: call.id })
    const json = JSON.stringify(input ?? null)
    const hidden = tx.mask(json) === json ? 0 : 1
    if (hidden) turn.inputs.set(call.id, input)
    const hooked = JSON.stringify({ heard: true, ...(changedBy.length > 0 && { changedBy }) })
    const row: CallRow = { ...call, hooked, ...(changedBy.length > 0 && { input: json, hidden }) }
    await updateCall(tx.db, call.id, { hooked, input: row.input, hidden: row.hidden })
    const because = denied ?? refusedBy(row, verdict)
    if (because !== undefined) {
      await finishCalls(tx.db, [call.id], tx.now)
      tx.after(() => logRefusal(turn, call.name, because))
      const reason = shorten(tx.mask(because.slice(0, 5000)), 200)
      tx.record('tool.denied', aboutSession(session), { callId: call.id, name: call.name, reason })
      refusals.push(resultMessage(row, { output: because, error: true }))
    } else if (verdict.verdict === 'ask' && verdict.bound !== call.approved) {
      await park(turn.core, tx, session, row, parkForApproval(verdict))
    }
  }
  return refusals
}

function refusedBy(row: CallRow, verdict: Verdict): string | undefined {
  if (verdict.verdict === 'refuse') return verdict.because
  return verdict.verdict === 'ask' && row.hidden ? NOT_ASKED : undefined
}

const INPUT_CHARS = 1000

/** The model is told that what ran is not what it asked for. */
export function noteChange(call: CallRow, result: ToolOutput): ToolOutput {
  const { changedBy = [] } = hookedOf(call)
  if (changedBy.length === 0) return result
  const names = changedBy.map((name) => `"${name}"`).join(', ')
  const note = `[The hook ${names} changed the input of this call to ${shorten(call.input, INPUT_CHARS)}]`
  return {
    ...result,
    output: typeof result.output === 'string' ? `${result.output}\n${note}` : { result: result.output, note },
  }
}
