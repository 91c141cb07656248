import { z } from 'zod'
import { AppError } from '../contract/errors.ts'
import type { ToolCallPart } from '../contract/messages.ts'
import { PathError } from '../lib/paths.ts'
import type { Park, Tool, ToolContext, ToolOutput } from './core.ts'
import { judgePath } from './paths.ts'
import { type RuleSource, rule } from './permissions.ts'

const OUTPUT_CHARS = 20_000

type Declared<Input> = Omit<Tool<Input>, 'parallel' | 'idempotent' | 'maxOutputChars'> &
  Partial<Pick<Tool<Input>, 'parallel' | 'idempotent' | 'maxOutputChars'>>

/** A tool says what it needs; it never decides its own permission. */
export function defineTool<Input>(tool: Declared<Input>): Tool {
  return { parallel: false, idempotent: false, maxOutputChars: OUTPUT_CHARS, ...tool } as unknown as Tool
}

/** What may happen to a call: it runs, a person is asked, or the model is told why not. */
export type Verdict =
  | { readonly verdict: 'run' }
  | { readonly verdict: 'ask'; readonly because: string; readonly changesRights: boolean }
  | { readonly verdict: 'refuse'; readonly because: string }

export interface Judge {
  readonly tools: ReadonlyMap<string, Tool>
  readonly sources: readonly RuleSource[]
  /** Tools a person allowed for the rest of the session. */
  readonly granted: readonly string[]
  readonly unattended: 'wait' | 'deny' | 'allow'
  readonly workspace: string
  readonly projectPath: string
  readonly home: string
}

/** parse → scope → permit, before anything of the call runs. */
export async function judge(by: Judge, call: ToolCallPart): Promise<Verdict> {
  const tool = by.tools.get(call.name)
  if (tool === undefined) {
    return {
      verdict: 'refuse',
      because: `There is no tool "${call.name}" here. You have: ${[...by.tools.keys()].join(', ')}.`,
    }
  }
  const input = tool.input.safeParse(call.input)
  if (!input.success) {
    return {
      verdict: 'refuse',
      because: `The input does not fit ${call.name}; it was not run.\n${z.prettifyError(input.error)}`,
    }
  }
  const ruling = rule(tool, by.sources)
  if (ruling.decision === 'deny') return { verdict: 'refuse', because: `Not permitted: ${ruling.because}.` }

  let protects: string | undefined
  for (const touch of tool.touches?.(input.data) ?? []) {
    const path = await judgePath(by, touch)
    if (path.outside !== undefined) return { verdict: 'refuse', because: path.outside }
    protects ??= path.protects
  }
  if (protects !== undefined) return unattended(by, { because: protects, changesRights: true })
  if (ruling.decision === 'allow' || by.granted.includes(tool.name)) return { verdict: 'run' }
  return unattended(by, { because: ruling.because, changesRights: false })
}

function unattended(by: Judge, ask: { because: string; changesRights: boolean }): Verdict {
  if (by.unattended === 'deny') {
    return {
      verdict: 'refuse',
      because: `Nobody is there to approve this (${ask.because}). Find another way, or leave it for the person.`,
    }
  }
  if (by.unattended === 'allow' && !ask.changesRights) return { verdict: 'run' }
  return { verdict: 'ask', ...ask }
}

/** run → bound. A throw becomes an error for the model; it never ends the turn. */
export async function runTool(tool: Tool, input: unknown, context: ToolContext): Promise<ToolOutput | Park> {
  try {
    const parsed = tool.input.parse(input)
    const result = await tool.run(parsed, context)
    return 'park' in result ? result : bound(tool, result)
  } catch (error) {
    if (context.signal.aborted)
      return { output: `${String(context.signal.reason)}; outcome unknown; not repeated`, error: true }
    if (!isSentence(error)) context.core.log('warn', 'a tool threw', { tool: tool.name, error: String(error) })
    return { output: sentence(error), error: true }
  }
}

/** Errors that were written for a reader carry a code of ours; anything else is a surprise. */
const isSentence = (error: unknown): error is Error & { hint?: string } =>
  error instanceof AppError || error instanceof PathError

function sentence(error: unknown): string {
  if (isSentence(error)) return error.hint ? `${error.message} ${error.hint}` : error.message
  return error instanceof Error ? error.message : String(error)
}

function bound(tool: Tool, result: ToolOutput): ToolOutput {
  const text = typeof result.output === 'string' ? result.output : JSON.stringify(result.output ?? null)
  if (text.length <= tool.maxOutputChars) return result
  const cut = text.length - tool.maxOutputChars
  return {
    ...result,
    output: `${text.slice(0, tool.maxOutputChars)}\n[${cut} more characters were cut; ask for a smaller part of it]`,
  }
}
