import type { AgentFile } from '../../contract/agents.ts'
import { nameGlob } from '../../lib/wildcard.ts'
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

/** Whether a list that allows has this name in it. A glob that is not understood allows nothing. */
export const isIn = (globs: readonly string[], name: string): boolean =>
  globs.some((glob) => matcher(glob)?.(name) ?? false)

/** Whether a list that denies has this name in it. A glob that is not understood denies everything. */
export const isDenied = (globs: readonly string[], name: string): boolean =>
  globs.some((glob) => matcher(glob)?.(name) ?? true)

function scope({ allow, deny = [] }: { allow?: string[] | undefined; deny?: string[] | undefined } = {}) {
  return {
    allowed: (name: string) => allow === undefined || isIn(allow, name),
    denied: (name: string) => isDenied(deny, name),
  }
}

type Matcher = ReturnType<typeof nameGlob>

const matchers = new Map<string, Matcher>()
const MATCHERS_KEPT = 1000

function matcher(glob: string): Matcher {
  if (!matchers.has(glob)) {
    if (matchers.size >= MATCHERS_KEPT) matchers.clear()
    matchers.set(glob, nameGlob(glob))
  }
  return matchers.get(glob)
}
