import picomatch from 'picomatch'
import type { AgentFile } from '../../contract/agents.ts'
import type { Tool } from '../base/index.ts'

/** The tools an agent has: by name and by capability; deny wins. The same list is shown to the model and enforced. */
export function toolsInScope(all: Iterable<Tool>, definition: AgentFile): Map<string, Tool> {
  const named = scope(definition.tools)
  const capable = scope(definition.capabilities)
  const inScope = [...all].filter((tool) => {
    const names = tool.ruleName === undefined ? [tool.name] : [tool.name, tool.ruleName]
    if (names.some(named.denied)) return false
    if (!names.some(named.allowed) && !tool.forEveryone) return false
    return tool.capabilities.every((capability) => capable.allowed(capability) && !capable.denied(capability))
  })
  return new Map(inScope.map((tool) => [tool.name, tool]))
}

export const matches = (pattern: string, name: string): boolean => matcher(pattern)(name)

function scope(lists: { allow?: string[] | undefined; deny?: string[] | undefined } | undefined) {
  const allow = lists?.allow?.map(matcher)
  const deny = lists?.deny?.map(matcher) ?? []
  return {
    allowed: (name: string) => allow === undefined || allow.some((match) => match(name)),
    denied: (name: string) => deny.some((match) => match(name)),
  }
}

const matchers = new Map<string, (name: string) => boolean>()
const MATCHERS_KEPT = 1000

function matcher(pattern: string): (name: string) => boolean {
  let match = matchers.get(pattern)
  if (match === undefined) {
    if (matchers.size >= MATCHERS_KEPT) matchers.clear()
    match = picomatch(pattern, { dot: true })
    matchers.set(pattern, match)
  }
  return match
}
