import { crashPoint } from '../../lib/process/crash.ts'
import { inputOf } from '../../store/calls.ts'
import type { CallRow } from '../../store/tables.ts'
import type { Asked, Park, ToolOutput } from '../base/index.ts'
import { bound, changedSince, judge, runTool } from '../permissions/index.ts'
import { parkForApproval, resultOf } from '../waits/index.ts'
import { record } from './advance.ts'
import type { CallOutcome, Settled } from './call-rows.ts'
import { contextFor } from './context.ts'
import { hooksIn, isUnheard } from './hooked.ts'
import { keepResult, withHooks } from './hooked-after.ts'
import { liveText } from './live.ts'
import { NOT_ASKED, NOT_KEPT } from './not-kept.ts'
import { logRefusal } from './refusals.ts'
import { resultPlayed } from './replay.ts'
import type { Made } from './safe-point.ts'
import { judgeIn, type Turn } from './turn.ts'

const AT_ONCE = 10
const UNKNOWN = 'interrupted; outcome unknown; not repeated'

/** Runs a batch side by side. Each result is durable as it comes; the last one is written with the next step. */
export async function runCalls(turn: Turn, calls: readonly CallRow[], deadline: number): Promise<Made> {
  const waiting = [...calls]
  let left = calls.length
  let last: CallOutcome[] = []
  const again: CallOutcome[] = []
  const worker = async () => {
    for (let call = waiting.shift(); call !== undefined; call = waiting.shift()) {
      const outcome = await outcomeOf(turn, call, deadline)
      left -= 1
      if ('again' in outcome) again.push(outcome)
      else if (left === 0) last = [outcome]
      else await record(turn, [outcome])
    }
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, calls.length) }, worker))
  return { outcomes: [...again, ...last] }
}

async function outcomeOf(turn: Turn, call: CallRow, deadline: number): Promise<CallOutcome> {
  const started = performance.now()
  const settled = (result: ToolOutput): Settled => ({
    call,
    result,
    durationMs: Math.round(performance.now() - started),
  })
  const { setup } = turn
  if (call.state === 'resolved') {
    const of = setup.judge.tools.get(call.name)
    const waited = call.started_at === null ? 0 : turn.core.clock.now() - call.started_at
    const result = of ? bound(of, resultOf(call)) : resultOf(call)
    const outcome = { call, result, durationMs: Math.max(0, waited) }
    // What was denied before it began has not run.
    return call.started_at === null ? outcome : withHooks(turn, outcome)
  }
  const by = judgeIn(turn)
  const tool = by.tools.get(call.name)
  if (tool === undefined) return settled({ output: `The tool ${call.name} is no longer there.`, error: true })
  const played = await resultPlayed(turn, call, tool)
  if (played !== undefined) return settled(played)
  if (!turn.begun.has(call.id) && (call.hidden || !tool.idempotent))
    return withHooks(turn, settled({ output: UNKNOWN, error: true }))

  // Hooks that are new since it was begun the first time are heard before it is run again.
  if (isUnheard(turn, call)) return { call, again: true }
  // It has not begun: when the process drains, the next runner makes it.
  if (turn.lease.signal.aborted) return { call, again: true }
  if (turn.stop.signal.aborted) return settled({ output: `skipped: ${String(turn.stop.signal.reason)}`, error: true })

  // The call is judged again: files, folders and rules may have changed since it was made or approved.
  const input = call.hidden ? turn.inputs.get(call.id) : inputOf(call)
  if (input === undefined) return settled({ output: NOT_KEPT, error: true })
  const verdict = await judge(by, { name: call.name, input })
  if (turn.lease.signal.aborted) return { call, again: true }
  if (verdict.verdict === 'refuse') {
    logRefusal(turn, call.name, verdict.because)
    return settled({ output: verdict.because, error: true })
  }
  if (verdict.verdict === 'ask' && call.hidden) {
    logRefusal(turn, call.name, NOT_ASKED)
    return settled({ output: NOT_ASKED, error: true })
  }
  // An approval of what the call was does not cover what it has become.
  if (verdict.verdict === 'ask' && call.approved !== verdict.bound)
    return { call, park: parkForApproval({ ...verdict, because: again(call, verdict) }) }

  const live = liveText(turn.core, { ...turn.about, turnId: call.turn_id, attempt: call.id })
  crashPoint('tool.before-run')
  const context = contextFor(turn, { callId: call.id, turnId: call.turn_id, tool, by, verdict, deadline }, (text) =>
    live.write('output', text),
  )
  const refused = (because: string): void => logRefusal(turn, call.name, because)
  const done = await runTool(tool, input, context, refused).finally(live.end)
  crashPoint('tool.after-run')
  // A shutdown is not an outcome: what can be made again is made by the next runner.
  if (turn.lease.signal.aborted && tool.idempotent && !call.hidden) return { call, again: true }
  if (turn.lease.signal.aborted) return settled('park' in done ? { output: UNKNOWN, error: true } : cutShort(done))
  if ('park' in done) return { call, park: done as Park }
  if (hooksIn(turn, 'afterTool', call.name).length > 0) await keepResult(turn, call, done)
  return withHooks(turn, settled(done))
}

const again = ({ approved }: CallRow, { because, bound }: Asked): string =>
  `${because}; ${changedSince(approved, bound)}`

/** A call that the shutdown cut off says so; one that was done by then keeps its result. */
function cutShort(done: ToolOutput): ToolOutput {
  const text = typeof done.output === 'string' ? done.output : JSON.stringify(done.output ?? null)
  return done.error !== true || text.includes('outcome unknown') ? done : { ...done, output: `${text}\n[${UNKNOWN}]` }
}
