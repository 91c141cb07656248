import { AppError, isForbidden, isStoreTrouble } from '../../contract/errors.ts'
import type { ToolCallPart } from '../../contract/messages.ts'
import { suggestion } from '../../lib/closest.ts'
import { isProtected, PathError } from '../../lib/files/paths.ts'
import type { GitWork } from '../../lib/sandbox/box.ts'
import { wildcard } from '../../lib/wildcard.ts'
import {
  type Asked,
  LeaseLost,
  type Park,
  type Tool,
  type ToolContext,
  type ToolOutput,
  type Touch,
} from '../base/index.ts'
import { readInput } from '../tools/index.ts'
import { type Acts, actsOf, type SessionAt, subjectAct, wholeTool } from './acts.ts'
import { boundTo } from './bound.ts'
import { isKeptAway } from './denied.ts'
import { fileAct, fileWords } from './files.ts'
import type { Workplace } from './locate.ts'
import { type Maker, withoutTool } from './makers.ts'
import { pathMatches } from './patterns.ts'
import { approvedGit, ruledGit } from './repository.ts'
import {
  type Act,
  type IsKept,
  isStricter,
  type Rule,
  type RuleDecision,
  type RuleSource,
  type Ruling,
  ruleOn,
  rulesOf,
} from './rules.ts'

const OUTPUT_CHARS = 20_000

type Declared<Input> = Omit<Tool<Input>, 'parallel' | 'idempotent' | 'maxOutputChars'> &
  Partial<Pick<Tool<Input>, 'parallel' | 'idempotent' | 'maxOutputChars'>>

/** A tool says what it needs; it never decides its own permission. */
export function defineTool<Input>(tool: Declared<Input>): Tool {
  return { parallel: false, idempotent: false, maxOutputChars: OUTPUT_CHARS, ...tool } as unknown as Tool
}

/** What may happen to a call: it runs, a person is asked, or the model is told why not. */
export type Verdict = { readonly because: string } & (
  | { readonly verdict: 'run'; readonly may: May }
  | ({ readonly verdict: 'ask'; readonly may: May } & Asked)
  | { readonly verdict: 'refuse' }
)

/** What a permitted call may do beyond the workspace. */
export interface May {
  readonly reach: readonly Touch[]
  /** What git may change, which other commands may not. */
  readonly git: GitWork
}

export interface SandboxState {
  readonly mode: 'off' | 'workspace' | 'strict'
  /** The person asked for a sandbox that cannot be had: commands do not run. */
  readonly unavailable: boolean
  /** Why it is off or unavailable, and what to install; or what it cannot do here. */
  readonly reason?: string
}

export interface Judge extends Workplace {
  readonly tools: ReadonlyMap<string, Tool>
  /** Rules for every agent of the project. */
  readonly sources: readonly RuleSource[]
  /** The agent's own rules. */
  readonly own: RuleSource
  readonly makers: readonly Maker[]
  /** Rules a person granted for the rest of the session. */
  readonly granted: readonly string[]
  readonly unattended: 'wait' | 'deny' | 'allow'
  readonly sessionId: string
  /** Whose calls they are. */
  readonly agent?: string | undefined
  /** How commands are shut in; the same for the verdict on a call and for its run. Found out only when it matters, as that takes a process. */
  sandbox(): SandboxState
  /** Finds the session that an address means now, and makes none. */
  readonly sessionAt?: SessionAt
}

type Bound = Pick<Judge, 'sources' | 'own' | 'makers' | 'granted'>

/** One part of a call and what was decided about it. */
interface JudgedPart {
  readonly what: string
  readonly decision: RuleDecision
  readonly because: string
}

/** parse → scope → permit, before anything of the call runs. */
export async function judge(by: Judge, call: Pick<ToolCallPart, 'name' | 'input'>): Promise<Verdict> {
  const weighed = await weigh(by, call)
  return 'verdict' in weighed ? weighed : weighed.result
}

/** Judges a call and keeps the reasons, part by part. */
export async function weigh(
  by: Judge,
  call: Pick<ToolCallPart, 'name' | 'input'>,
): Promise<Verdict | { readonly result: Verdict; readonly parts: readonly JudgedPart[] }> {
  const tool = by.tools.get(call.name)
  if (tool === undefined) {
    return refuse(`There is no tool "${call.name}" here. ${suggestion(call.name, [...by.tools.keys()], 'You have')}`)
  }
  const input = await readInput(tool, call.input)
  if ('problem' in input) return refuse(`The input does not fit ${call.name}; it was not run.\n${input.problem}`)
  const lacking = withoutTool(by.makers, tool)
  if (lacking) return refuse(`Not permitted: ${lacking.from}, which made this session, has no ${tool.name} to hand on.`)
  const found = await actsOf(tool, input.value, by)
  if ('refuse' in found) return refuse(found.refuse)

  const isKept = tool.commandLine === undefined ? undefined : keptFrom(by)
  const parts = found.acts.map((act) => askedAnew(tool, decide(by, act, isKept)))
  const denied = parts.find(({ decision }) => decision === 'deny')
  if (denied) return { result: refuse(`Not permitted: ${denied.because}.`), parts }
  const asked = parts.filter(({ decision }) => decision === 'ask')
  const may = { reach: found.reach, git: approvedGit(found.git) }
  const unasked = tool.commandLine === undefined ? may : named(by, tool, found)
  const first = asked.find(({ changesRights }) => changesRights) ?? asked[0]
  if (first === undefined) {
    const because = parts.at(-1)?.because ?? `${tool.name} is allowed by default`
    return { result: { verdict: 'run', because, may: unasked }, parts }
  }
  const { changesRights } = first
  const asking = {
    changesRights,
    bound: boundTo({ ...by, ...call, version: tool.version }, found),
    always: found.narrowest,
  }
  return { result: unattended(by, { verdict: 'ask', because: first.because, may, ...asking }, unasked), parts }
}

/** What is not the tool that was approved is asked for, though a rule allows the one of its name. */
function askedAnew(tool: Tool, part: ReturnType<typeof decide>): ReturnType<typeof decide> {
  const why = part.decision === 'allow' ? tool.unapproved?.() : undefined
  return why === undefined ? part : { ...part, decision: 'ask', because: why }
}

/** The decision on something denied by default: the session's rules and every maker's must allow it by name. */
export const ruleOnDenied = (by: Bound, tool: Tool, what: string): RuleDecision =>
  decide(by, subjectAct(tool, { text: what, byDefault: 'deny' })).decision

/** What holds for a tool as a whole; rules with a pattern decide call by call. */
export function ruleOnTool(by: Bound, tool: Tool): Ruling {
  const { decision, because } = decide(by, wholeTool(tool))
  return { decision, because }
}

/** Whether a rule lets commands write a protected path, though they were not approved for it. */
export function mayWrite(by: Bound & Workplace, path: string): boolean {
  const protects = isProtected(by.workspace, by.home, path, by.userHome) ?? '.git/**'
  const file = { path, access: 'write', real: path, literal: path, outside: false, protects } as const
  return decide(by, fileAct('write_file', file, by)).decision === 'allow'
}

/** What the sandbox hides or makes read-only need not be asked about where nobody can tell whether a command touches it. */
const keptFrom =
  (by: Judge): IsKept =>
  ({ tool }, pattern) => {
    const access = tool === fileWords.read ? 'read' : tool === fileWords.write ? 'write' : undefined
    if (access === undefined) return false
    const { mode, unavailable } = by.sandbox()
    return mode !== 'off' && !unavailable && isKeptAway(access, pattern, by)
  }

function decide(by: Bound, act: Act, isKept?: IsKept): JudgedPart & { changesRights: boolean } {
  const rules = by.makers.map(({ from, permissions = {} }) => rulesOf([...by.sources, { from, rules: permissions }]))
  const granted: Rule[] = rulesOf([grantsOf(by)])
  let strictest = ruleOn(act, rulesOf([...by.sources, by.own]), isKept)
  for (const makers of rules) {
    const ruling = ruleOn(act, makers, isKept)
    if (isStricter(ruling.decision, strictest.decision)) strictest = ruling
  }
  const changesRights = act.changesRights ?? false
  // A person's grant answers every question except those about what agents may do.
  if (strictest.decision === 'ask' && !changesRights) {
    const grant = ruleOn({ ...act, otherwise: strictest }, granted)
    if (grant.decision === 'allow') strictest = grant
  }
  return { what: act.what, ...strictest, changesRights }
}

const grantsOf = ({ granted }: Pick<Judge, 'granted'>): RuleSource => ({
  from: 'granted for this session',
  rules: { allow: [...granted] },
})

/** A rule for the shell as a whole opens no sandbox; a rule that names git, or the very path, does. */
function named(by: Judge, { name }: Tool, { reach, git }: Acts): May {
  const allowed = rulesOf([...by.sources, by.own, grantsOf(by)]).filter(
    ({ decision, pattern }) => decision === 'allow' && pattern,
  )
  const opens = ({ tool, pattern = '' }: Rule, { path, access }: Touch): boolean =>
    wildcard(tool, fileWords[access]) && pathMatches(pattern, path, by)
  return {
    reach: reach.filter((touch) => allowed.some((rule) => opens(rule, touch))),
    git: ruledGit(
      git,
      allowed.flatMap(({ tool, pattern }) => (wildcard(tool, name) ? (pattern ?? []) : [])),
    ),
  }
}

function unattended(by: Judge, ask: Extract<Verdict, { verdict: 'ask' }>, may: May): Verdict {
  const { because, changesRights } = ask
  if (by.unattended === 'deny') {
    return refuse(`Nobody is there to approve this (${because}). Find another way, or leave it for the person.`)
  }
  if (by.unattended === 'allow' && !changesRights) return { verdict: 'run', because: 'nobody is asked here', may }
  return ask
}

const refuse = (because: string): Verdict => ({ verdict: 'refuse', because })

/** run → bound. A throw becomes an error for the model, unless the turn itself cannot go on; `refused` hears of refusals. */
export async function runTool(
  tool: Tool,
  input: unknown,
  context: ToolContext,
  refused: (because: string) => void,
): Promise<ToolOutput | Park> {
  try {
    const checked = await readInput(tool, input)
    if ('problem' in checked) return { output: checked.problem, error: true }
    const result = await tool.run(checked.value, context)
    return 'park' in result ? result : bound(tool, result)
  } catch (error) {
    if (error instanceof LeaseLost || isStoreTrouble(error)) throw error
    if (context.signal.aborted)
      return { output: `${String(context.signal.reason)}; outcome unknown; not repeated`, error: true }
    if (isSentence(error) && isForbidden(error.code)) refused(error.message)
    if (!isSentence(error)) context.core.log('warn', 'a tool threw', { tool: tool.name, error: String(error) })
    return { output: sentence(error), error: true }
  }
}

/** Errors that were written for a reader carry a code of ours; anything else is a surprise. */
const isSentence = (error: unknown): error is AppError | PathError =>
  error instanceof AppError || error instanceof PathError

function sentence(error: unknown): string {
  if (isSentence(error)) return error.hint ? `${error.message} ${error.hint}` : error.message
  return error instanceof Error ? error.message : String(error)
}

export function bound(tool: Tool, result: ToolOutput): ToolOutput {
  const text = typeof result.output === 'string' ? result.output : JSON.stringify(result.output ?? null)
  if (text.length <= tool.maxOutputChars) return result
  const cut = text.length - tool.maxOutputChars
  return {
    ...result,
    output: `${text.slice(0, tool.maxOutputChars)}\n[${cut} more characters were cut; ask for a smaller part of it]`,
  }
}
