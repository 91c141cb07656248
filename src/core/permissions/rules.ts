import type { PermissionRules } from '../../contract/agents.ts'
import { wildcard } from '../../lib/wildcard.ts'

export type RuleDecision = 'allow' | 'ask' | 'deny'

/** Where a list of rules comes from; every source counts, and the strictest decision holds. */
export interface RuleSource {
  /** A file, a flag, an agent: what a person has to change. */
  readonly from: string
  readonly rules: PermissionRules
}

/** `tool` or `tool(pattern)`. */
export interface Rule {
  readonly text: string
  readonly decision: RuleDecision
  readonly tool: string
  readonly pattern: string | undefined
  readonly from: string
}

export interface Ruling {
  readonly decision: RuleDecision
  /** The rule or default that decided, in words. */
  readonly because: string
}

/** One thing that a call would do, and what a rule has to say to mean it. */
export interface Act {
  /** For people. */
  readonly what: string
  /** The tool whose rules are about this act. */
  readonly tool: string
  /** Another tool whose rules are about this act as well. */
  readonly like?: string
  /** Only rules with a pattern are about it: by its words alone a command is no reader or writer of files. */
  readonly byPattern?: true
  /** Another tool whose rules may allow the act as well. */
  readonly within?: string
  /** Does a rule that denies or asks mean this act? "maybe" when that cannot be told. */
  matches(pattern: string): 'yes' | 'maybe' | 'no'
  /** Does a rule that allows mean this act? A rule without a pattern means whatever the tool does. */
  covers(pattern: string | undefined, rule: Rule): boolean
  /** The ruling when no rule decides. */
  readonly otherwise: Ruling
  /** The act changes what agents may do: no grant and no "unattended" setting lets it run without asking. */
  readonly changesRights?: boolean
}

/** Whether what a pattern denies is kept from the act, whatever it does. */
export type IsKept = (act: Act, pattern: string) => boolean

const RULE_CHARS = 4000

export function rulesOf(sources: readonly RuleSource[]): Rule[] {
  return sources.flatMap(({ from, rules }) =>
    (['deny', 'ask', 'allow'] as const).flatMap((decision) =>
      (rules[decision] ?? []).flatMap((text) => {
        if (text.length <= RULE_CHARS) return [{ decision, from, text, ...parseRule(text) }]
        return decision === 'allow' ? [] : [{ decision, from, ...wholeTool(text) }]
      }),
    ),
  )
}

/** A rule too long to be compared still forbids: all of its tool, or every tool when the tool's name is unclear. */
function wholeTool(text: string): Pick<Rule, 'text' | 'tool' | 'pattern'> {
  return { text: `${text.slice(0, 100)}…`, tool: /^\w{1,100}(?=\()/.exec(text)?.[0] ?? '*', pattern: undefined }
}

function parseRule(text: string): { tool: string; pattern: string | undefined } {
  const parts = /^([^()]*)\((.*)\)$/s.exec(text.trim())
  return parts === null ? { tool: text.trim(), pattern: undefined } : { tool: parts[1]!.trim(), pattern: parts[2]! }
}

/** deny over ask over allow over the default. What a rule denies that is kept away in any case need not be told apart. */
export function ruleOn(act: Act, rules: readonly Rule[], isKept: IsKept = () => false): Ruling {
  const about = rules.filter(
    (rule) => isAbout(rule, [act.tool, act.like]) && (rule.pattern !== undefined || !act.byPattern),
  )
  const matching = (decision: RuleDecision, how: 'yes' | 'maybe'): Rule | undefined =>
    about.find(
      (rule) => rule.decision === decision && (rule.pattern === undefined ? 'yes' : act.matches(rule.pattern)) === how,
    )
  const denied = matching('deny', 'yes')
  if (denied) return { decision: 'deny', because: ruleInWords(denied) }
  const unsure = about.find(
    (rule) =>
      rule.decision === 'deny' &&
      rule.pattern !== undefined &&
      act.matches(rule.pattern) === 'maybe' &&
      !isKept(act, rule.pattern),
  )
  if (unsure) return { decision: 'ask', because: `it cannot be told whether ${ruleInWords(unsure)} means ${act.what}` }
  const asked = matching('ask', 'yes') ?? matching('ask', 'maybe')
  if (asked) return { decision: 'ask', because: ruleInWords(asked) }
  const helping = rules.filter((rule) => isAbout(rule, [act.tool, act.like, act.within]))
  const allowed = helping.find((rule) => rule.decision === 'allow' && act.covers(rule.pattern, rule))
  if (allowed) return { decision: 'allow', because: ruleInWords(allowed) }
  return act.otherwise
}

const isAbout = (rule: Rule, tools: readonly (string | undefined)[]): boolean =>
  tools.some((tool) => tool !== undefined && wildcard(rule.tool, tool))

const ruleInWords = (rule: Rule): string => `rule ${rule.decision} "${rule.text}" (${rule.from})`

const strictness: readonly RuleDecision[] = ['allow', 'ask', 'deny']

export const isStricter = (a: RuleDecision, b: RuleDecision): boolean => strictness.indexOf(a) > strictness.indexOf(b)
