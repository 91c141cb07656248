import type { Problem } from '../../contract/agents.ts'
import type { Core, Tool, ToolsFound, ToolUser } from '../base/index.ts'
import { schemaProblem } from './input.ts'

/** What models' vendors take for a name. */
const NAME = /^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/
const PROBLEMS = 100

interface Known {
  readonly tools: ReadonlyMap<string, Tool>
  readonly problems: readonly Problem[]
}

/**
 * All tools there are for an agent: built-in, then those of each source in its order. The first of a name is it; a later
 * one is reported. What is not in the agent's scope is among them.
 */
export async function knownTools(core: Core, whom: ToolUser): Promise<Known> {
  const found: ToolsFound[] = []
  for (const source of core.toolSources) {
    try {
      const now = source.toolsFor(core, whom)
      found.push(now instanceof Promise ? await now : now)
    } catch (error) {
      found.push(failed(core, error))
    }
  }
  const some = found.filter(({ tools, problems }) => tools.length + problems.length > 0)
  if (some.length === 0) return { tools: core.tools, problems: [] }
  const kept = known.get(some[0]!)
  if (kept && isSame(kept.from, [core.tools, ...some])) return kept.known
  const made = merged(core.tools, some)
  known.set(some[0]!, { from: [core.tools, ...some], known: made })
  return made
}

/** A source that fails costs its own tools, not the turn. */
function failed(core: Core, error: unknown): ToolsFound {
  core.log('error', 'a source of tools failed', { error: String(error) })
  return { tools: [], problems: [{ file: 'tools', message: `could not be read: ${String(error)}` }] }
}

/** Sources return the same objects while nothing changed. */
const known = new WeakMap<ToolsFound, { from: readonly unknown[]; known: Known }>()

const isSame = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((one, at) => one === b[at])

function merged(builtIn: ReadonlyMap<string, Tool>, found: readonly ToolsFound[]): Known {
  const tools = new Map(builtIn)
  const problems = found.flatMap((each) => each.problems)
  for (const tool of found.flatMap((each) => each.tools)) {
    const place = tool.origin?.place ?? 'tools'
    const before = tools.get(tool.name)
    const unfit = 'jsonSchema' in tool.input ? schemaProblem(tool.input.jsonSchema) : undefined
    if (!NAME.test(tool.name))
      problems.push({ file: place, field: 'name', message: `is no name for a tool: ${JSON.stringify(tool.name)}` })
    else if (before !== undefined)
      problems.push({ file: place, field: 'name', message: `${tool.name} is not used: ${whose(before)} has that name` })
    else if (unfit !== undefined)
      problems.push({ file: place, field: 'inputSchema', message: `of ${tool.name} ${unfit}` })
    else tools.set(tool.name, tool)
  }
  const more = problems.length - PROBLEMS
  return { tools, problems: more > 0 ? [...problems.slice(0, PROBLEMS), andMore(more)] : problems }
}

const whose = ({ origin }: Tool): string => (origin ? `a tool of ${origin.place}` : 'a built-in tool')

const andMore = (count: number): Problem => ({ file: 'tools', message: `and ${count} more problems` })
