import type { Answer } from '../contract/answers.ts'

/** What another agent made of a piece of work or of a question. */
export interface AgentResult {
  readonly agent: string
  readonly session: string
  /** Undefined while it is not known: it works on, or was only told. */
  readonly ok: boolean | undefined
  readonly durationMs: number | undefined
  readonly costUsd: number
  readonly unpricedTokens: number
  readonly text: string
}

/** What the agents that a call reached have answered; empty when the result is not of that kind. */
export function outcomesIn(output: unknown): AgentResult[] {
  const fields = fieldsOf(output)
  if (Array.isArray(fields.tasks)) return fields.tasks.flatMap(outcomesIn)
  if (typeof fields.agent !== 'string' || typeof fields.session !== 'string' || !fields.session) return []
  const { agent, session, status } = fields
  const words = [fields.response, fields.output, fields.error, fields.note].filter((text) => typeof text === 'string')
  return [
    {
      agent,
      session,
      ok: good.has(String(status)) ? true : open.has(String(status)) ? undefined : false,
      durationMs: numberIn(fields.durationMs),
      costUsd: numberIn(fields.totalCostUsd) ?? numberIn(fields.costUsd) ?? 0,
      unpricedTokens: numberIn(fields.unpricedTokens) ?? 0,
      text: words.join('\n'),
    },
  ]
}

const good = new Set<string>(['complete' satisfies Answer['status'], 'finished'])
const open = new Set(['pending', 'processing', 'waiting', 'undefined'])

/** A result as a person reads it: the words of agents, and where there are none the data, a line for each field. */
export function resultInWords(output: unknown): string {
  if (typeof output === 'string') return output
  const outcomes = outcomesIn(output)
  if (outcomes.length === 0) return inLines(output)
  return outcomes
    .map(({ agent, session, text }) => (outcomes.length > 1 ? `${agent} ${session}:\n${text}` : text))
    .join('\n')
}

const inLines = (output: unknown): string =>
  Array.isArray(output) || typeof output !== 'object' || output === null
    ? (JSON.stringify(output, undefined, 2) ?? '')
    : Object.entries(output)
        .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
        .join('\n')

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}

const numberIn = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)
