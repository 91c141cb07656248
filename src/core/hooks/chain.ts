import { isDeepStrictEqual } from 'node:util'
import { maskDeep } from '../../lib/mask.ts'
import { crashPoint } from '../../lib/process/crash.ts'
import { asSentence } from '../../lib/text.ts'
import type { ToolOutput } from '../base/index.ts'
import type { Hook } from '../config/index.ts'
import { isDenied } from '../permissions/index.ts'
import { understood } from './answer.ts'
import { type HookRun, type Moment, toldTo } from './moment.ts'
import { runHook } from './process.ts'

interface HookedCall {
  readonly id: string
  readonly name: string
  readonly input: unknown
}

/** What the hooks before a tool say together. `aborted`: somebody stopped them, and they have said nothing. */
export interface HeardBefore {
  readonly runs: readonly HookRun[]
  readonly input: unknown
  readonly changedBy: readonly string[]
  /** Why the call does not run. */
  readonly denied?: string
  readonly aborted?: true
}

const RESULT_CHARS = 100_000

/** Those of an event; of those about tools, the ones that are about this tool. A match that is not understood is about all. */
export const hooksAt = (hooks: readonly Hook[], event: Hook['event'], tool?: string): Hook[] =>
  hooks.filter(
    (hook) => hook.event === event && (tool === undefined || hook.match === undefined || isDenied(hook.match, tool)),
  )

/** One after the other: each sees the input as those before it left it, and the first that says no ends it. */
export async function hearBefore(
  at: Moment,
  hooks: readonly Hook[],
  call: HookedCall,
  signal: AbortSignal,
): Promise<HeardBefore> {
  const runs: HookRun[] = []
  const changedBy: string[] = []
  let { input } = call
  for (const hook of hooks) {
    const run = await hear(at, hook, call.id, { tool: { name: call.name, callId: call.id, input } }, signal)
    if (run === undefined) return { runs, input, changedBy, aborted: true }
    const changes = run.verdict === 'changed' && !isDeepStrictEqual(run.input, input)
    runs.push(run.verdict === 'changed' && !changes ? { ...run, verdict: 'passed' } : run)
    if (run.verdict === 'denied' || run.verdict === 'failed') return { runs, input, changedBy, denied: refusal(run) }
    if (!changes) continue
    input = run.input
    changedBy.push(hook.name)
  }
  return { runs, input, changedBy }
}

/** What a tool returned, with what its hooks add to it; undefined when somebody stopped them. */
export async function hearAfter(
  at: Moment,
  hooks: readonly Hook[],
  call: HookedCall,
  result: ToolOutput,
  signal: AbortSignal,
): Promise<{ runs: HookRun[]; result: ToolOutput } | undefined> {
  const text = typeof result.output === 'string' ? result.output : JSON.stringify(result.output ?? null)
  const cut = text.length > RESULT_CHARS
  const output = maskDeep(at.core.mask, cut ? text.slice(0, RESULT_CHARS) : result.output)
  const input = maskDeep(at.core.mask, call.input)
  const about = {
    tool: { name: call.name, callId: call.id, input },
    result: { output, error: result.error === true, ...(cut && { cut }) },
  }
  const runs = await hearAll(at, hooks, call.id, about, signal)
  return runs && { runs, result: withText(result, runs) }
}

/** Each of them in order, whatever the others say; undefined when somebody stopped them. */
export async function hearAll(
  at: Moment,
  hooks: readonly Hook[],
  ref: string,
  about: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<HookRun[] | undefined> {
  const runs: HookRun[] = []
  for (const hook of hooks) {
    const run = await hear(at, hook, ref, about, signal)
    if (run === undefined) return undefined
    runs.push(run)
  }
  return runs
}

async function hear(
  at: Moment,
  hook: Hook,
  ref: string,
  about: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<HookRun | undefined> {
  const started = performance.now()
  const ran = await runHook(at, hook, toldTo(at, hook, ref, about), signal)
  crashPoint('hook.ran')
  if ('aborted' in ran) return undefined
  return { hook, ...understood(hook.event, ran), durationMs: Math.round(performance.now() - started) }
}

/** What hooks say to the model is marked as theirs, behind the tool's own words. */
function withText(result: ToolOutput, runs: readonly HookRun[]): ToolOutput {
  const said = hookText(runs)
  if (said === '') return result
  return {
    ...result,
    output: typeof result.output === 'string' ? `${result.output}\n${said}` : { result: result.output, hooks: said },
  }
}

export const hookText = (runs: readonly HookRun[]): string =>
  runs
    .filter(({ verdict, said }) => verdict === 'said' && said)
    .map(({ hook, said }) => `[hook "${hook.name}"] ${said}`)
    .join('\n')

function refusal({ hook, verdict, said = '' }: HookRun): string {
  if (verdict === 'denied')
    return `Denied by the hook "${hook.name}"${said === '' ? '.' : `: ${asSentence(said)}`} Do not try the same by another way.`
  return `Not run: the hook "${hook.name}" has to agree first and failed: ${asSentence(said)} Only the person can repair or remove it, in ${hook.from}; "troupe hooks test" shows what it does.`
}
