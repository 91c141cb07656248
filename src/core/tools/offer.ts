import type { AgentFile } from '../../contract/agents.ts'
import type { Tool, ToolSchema } from '../base/index.ts'
import { schemaTokens } from './schema.ts'

/** A tool of a session, with the schema that its model is shown. */
export interface Shown {
  readonly tool: Tool
  readonly schema: ToolSchema
}

/** What of a session's tools is in every request, and what is known by name until it is searched for. */
export interface Offer {
  readonly loaded: readonly Shown[]
  readonly listed: readonly Shown[]
}

const SEARCH = 'tool_search'

/** Custom tools and those of servers are loaded outright when there are so few of them, and so small. */
const FEW = 10
const FEW_TOKENS = 1500
/** An agent whose built-in tools take no more than this has all of them loaded. */
const SMALL_TOKENS = 1000
/** Even where all schemas are wanted in the request, there is an end to it. */
const ALL_TOKENS = 50_000

const none: ReadonlySet<string> = new Set()

/**
 * Everything here is in scope already. A tool that is only listed may be called all the same: the gate is elsewhere.
 * `rarely` names built-in tools that this session seldom needs, beside those that are rare for everybody.
 */
export function offerOf(
  shown: readonly Shown[],
  exposure: AgentFile['toolExposure'] = 'mixed',
  rarely: ReadonlySet<string> = none,
): Offer {
  const search = shown.filter(({ tool }) => tool.name === SEARCH)
  const others = shown.filter(({ tool }) => tool.name !== SEARCH)
  if (search.length === 0 || exposure === 'tools') return upTo(ALL_TOKENS, others, search)
  if (exposure === 'skills') return others.length === 0 ? all(others) : { loaded: search, listed: others }
  const own = others.filter(({ tool }) => tool.origin === undefined)
  const added = others.filter(({ tool }) => tool.origin !== undefined)
  // Each kind by itself: what a server offers must not change which built-in tools a prompt speaks of.
  const listed = [
    ...(tokensOf(own) > SMALL_TOKENS ? own.filter(({ tool }) => tool.rare !== undefined || rarely.has(tool.name)) : []),
    ...(added.length > FEW || tokensOf(added) > FEW_TOKENS ? added : []),
  ]
  if (listed.length === 0) return all(others)
  return { loaded: [...others.filter((one) => !listed.includes(one)), ...search], listed }
}

/** The schemas a request carries: what is loaded, and what a search loaded, in the order in which it came. */
export function schemasIn({ loaded, listed }: Offer, active: readonly string[]): ToolSchema[] {
  const found = active.flatMap((name) => listed.filter(({ tool }) => tool.name === name))
  return [...loaded, ...found].map(({ schema }) => schema)
}

const all = (shown: readonly Shown[]): Offer => ({ loaded: shown, listed: [] })

function upTo(tokens: number, shown: readonly Shown[], search: readonly Shown[]): Offer {
  let left = tokens
  const fits = shown.map(({ schema }) => {
    left -= schemaTokens(schema)
    return left >= 0
  })
  const listed = shown.filter((_, at) => !fits[at])
  return listed.length === 0 ? all(shown) : { loaded: [...shown.filter((_, at) => fits[at]), ...search], listed }
}

const tokensOf = (shown: readonly Shown[]): number => shown.reduce((sum, { schema }) => sum + schemaTokens(schema), 0)
