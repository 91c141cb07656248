import type { Tool, ToolContext } from '../base/index.ts'
import { hiddenFrom, hiddenInRun, type Judge, ruleOnDenied, sandboxFor, type Verdict } from '../permissions/index.ts'
import type { Turn } from './turn.ts'

/** A call that may run now. */
interface Permitted {
  readonly callId: string
  readonly turnId: string
  readonly tool: Tool
  readonly by: Judge
  readonly verdict: Exclude<Verdict, { verdict: 'refuse' }>
  readonly deadline: number
}

/** What a tool is given to run a call with. */
export function contextFor(
  turn: Turn,
  { callId, turnId, tool, by, verdict, deadline }: Permitted,
  output: ToolContext['output'],
): ToolContext {
  const { setup } = turn
  const ruling = turn.core.tools.get(tool.permittedAs ?? tool.name) ?? tool
  return {
    core: { ...turn.core, runner: turn.lease },
    callId,
    sessionId: turn.lease.sessionId,
    agent: setup.agent,
    definition: setup.definition,
    project: turn.project,
    chain: { id: turn.row?.chain_id ?? turn.row?.id ?? turnId, hops: turn.row?.hops ?? 0 },
    deadline,
    permits: (what) => isGranted(ruleOnDenied(by, ruling, what), verdict.verdict === 'ask'),
    workspace: by.workspace,
    reach: verdict.may.reach,
    approved: verdict.verdict === 'ask',
    unattended: by.unattended,
    get hidden() {
      return [...hiddenFrom(by), ...(by.run === undefined ? [] : hiddenInRun(by.run))]
    },
    ...(by.run && { run: by.run }),
    get sandbox() {
      return sandboxFor(turn.core, by, verdict.may)
    },
    signal: turn.stop.signal,
    output,
  }
}

/** Whoever approved the call approved what a rule asks for, too. */
const isGranted = (decision: string, approved: boolean): boolean =>
  decision === 'allow' || (decision === 'ask' && approved)
